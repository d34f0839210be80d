import { execFileSync } from 'node:child_process';
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cloneRig, finish } from './clone-rig';

const rigs: ReturnType<typeof cloneRig>[] = [];
const newClone = () => {
  const rig = cloneRig();
  rigs.push(rig);
  return rig;
};

afterEach(() => {
  for (const rig of rigs.splice(0)) rig.dispose();
});

const GO_INSTALL = 'install -ldflags=-s -w github.com/temporalio/cli/cmd/temporal@v1.5.1';

describe('the set-up', () => {
  it('brings a fresh clone up in order, and says what it does and how long that may take', async () => {
    const clone = newClone();
    const { code, output } = await finish(clone.start());
    expect(code).toBe(0);
    expect(clone.journal()).toEqual(['compile', 'bundle', GO_INSTALL]);
    expect(clone.read('cache/bin/temporal')).toBe('#!/bin/sh\n');
    expect(statSync(join(clone.root, 'dist', 'scripts', 'dailies.js')).mode & 0o111).toBe(0o111);
    expect(output).toMatch(
      /installing npm dependencies \(about a minute\)[^]*compiling \(.*\)[^]*with Go \(about 5 minutes/,
    );
  });

  it('is silent and does nothing where there is nothing to do', async () => {
    const clone = newClone();
    await finish(clone.start());
    const before = clone.journal();
    expect(await finish(clone.start())).toEqual({ code: 0, output: '' });
    expect(clone.journal()).toEqual(before);
  });

  it('compiles again when a source has changed, not when only its time has', async () => {
    const clone = newClone();
    await finish(clone.start());
    utimesSync(join(clone.root, 'workers', 'source.ts'), new Date(0), new Date(0));
    expect((await finish(clone.start())).output).toBe('');
    clone.write('clone/workers/source.ts', 'changed');
    await finish(clone.start());
    expect(clone.journal().filter((step) => step === 'compile')).toHaveLength(2);
  });

  it('leaves nothing that looks whole when it is killed, and does it anew', async () => {
    const clone = newClone();
    // Longer than this process may stand still.
    const killed = clone.start({ GO_MS: '10000' });
    while (!clone.has('cache/bin/fetched/temporal')) await delay(10);
    killed.kill('SIGKILL');
    await finish(killed);
    expect(clone.has('cache/bin/temporal')).toBe(false);
    expect((await finish(clone.start())).code).toBe(0);
    expect(clone.read('cache/bin/temporal')).toBe('#!/bin/sh\n');
    expect(clone.has('cache/bin/fetched')).toBe(false);
  });

  it('names every way to a Temporal server where none works', async () => {
    const clone = newClone();
    clone.remove('bin/go');
    const { code, output } = await finish(clone.start());
    expect(code).toBe(1);
    expect(output).toMatch(/No Temporal server was found[^]*TEMPORAL_ADDRESS[^]*Temporal CLI[^]*Go 1\./);
  });

  it('names every way to an ffmpeg where there is none, and a wrong FFMPEG_PATH by itself', async () => {
    const clone = newClone();
    clone.remove('bin/ffmpeg');
    const missing = await finish(clone.start());
    expect(missing.code).toBe(1);
    expect(missing.output).toMatch(/No ffmpeg was found[^]*PATH[^]*FFMPEG_PATH[^]*@ffmpeg-installer/);
    const wrong = await finish(clone.start({ FFMPEG_PATH: '/nowhere/ffmpeg' }));
    expect(wrong.code).toBe(1);
    expect(wrong.output).toContain('FFMPEG_PATH names /nowhere/ffmpeg');
  });

  it('warns of an ffmpeg that nobody mends any more, and goes on', async () => {
    const clone = newClone();
    const ffmpeg = join(clone.root, 'old-ffmpeg');
    const ofVersion = (libavcodec: number): void => {
      writeFileSync(ffmpeg, `#!/bin/sh\necho "libavcodec     ${libavcodec}. 42.100 / "\n`, { mode: 0o755 });
    };
    ofVersion(58);
    expect(await finish(clone.start({ FFMPEG_PATH: ffmpeg }))).toMatchObject({
      code: 0,
      output: expect.stringContaining('older than 5'),
    });
    ofVersion(59);
    expect((await finish(clone.start({ FFMPEG_PATH: ffmpeg }))).output).not.toContain('older');
  });

  it('asks for a newer Node before anything else', () => {
    const clone = newClone();
    const old = "Object.defineProperty(process.versions, 'node', { value: '18.20.0' });";
    const setup = JSON.stringify(join(clone.root, 'scripts', 'setup', 'setup.cjs'));
    const run = () =>
      execFileSync(process.execPath, ['-e', `${old} require(${setup})`], { env: clone.env, stdio: 'pipe' });
    expect(run).toThrow('Dailies needs Node.js 20.19 or newer');
    expect(clone.has('clone/node_modules')).toBe(false);
  });
});
