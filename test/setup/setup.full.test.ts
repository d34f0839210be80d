import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  it('removes compiled files without a source, since a file is found before a folder of its name', async () => {
    const clone = newClone();
    clone.write('clone/workers/part.ts', '');
    await finish(clone.start());
    const outputs = ['part.js', 'part.js.map', 'part.d.ts'].map((name) => `clone/dist/workers/${name}`);
    for (const output of outputs) clone.write(output, '');
    clone.remove('clone/workers/part.ts');
    clone.write('clone/workers/part/index.ts', '');
    await finish(clone.start());
    expect(outputs.filter(clone.has)).toEqual([]);
    expect(clone.has('clone/dist/workers/temporal-cli.js')).toBe(true);
  });

  it('installs again when the lock file asks for something else', async () => {
    const clone = newClone();
    await finish(clone.start());
    clone.write('clone/packages/more/package.json', '{ "name": "more", "version": "1.0.0" }');
    clone.write(
      'clone/package.json',
      '{ "name": "clone", "dependencies": { "typescript": "file:packages/typescript", "more": "file:packages/more" } }',
    );
    clone.lock();
    expect((await finish(clone.start())).output).toContain('installing npm dependencies');
    expect(clone.has('clone/node_modules/more/package.json')).toBe(true);
  });

  it('installs the packages of the lock file, and does not change it', async () => {
    const clone = newClone();
    const before = clone.read('clone/package-lock.json');
    expect((await finish(clone.start())).code).toBe(0);
    expect(clone.read('clone/package-lock.json')).toBe(before);
    expect((await finish(clone.start())).output).toBe('');
  });

  it('does each thing once when two run at the same time', async () => {
    const clone = newClone();
    const runs = await Promise.all([finish(clone.start()), finish(clone.start())]);
    expect(runs.map((run) => run.code)).toEqual([0, 0]);
    expect(clone.journal()).toEqual(['compile', 'bundle', GO_INSTALL]);
  });

  it("shows the compiler's output if it fails, and tries again the next time", async () => {
    const clone = newClone();
    clone.write('clone/workers/source.ts', 'error');
    const failed = await finish(clone.start());
    expect(failed.code).toBe(1);
    expect(failed.output).toContain('workers/source.ts(1,1): error TS1: wrong');
    expect((await finish(clone.start())).code).toBe(1);
    clone.write('clone/workers/source.ts', 'mended');
    expect((await finish(clone.start())).code).toBe(0);
  });

  it('fetches no Temporal server if TEMPORAL_ADDRESS names one', async () => {
    const clone = newClone();
    expect((await finish(clone.start({ TEMPORAL_ADDRESS: '127.0.0.1:7233' }))).code).toBe(0);
    expect(clone.journal()).toEqual(['compile', 'bundle']);
  });

  it('compiles again when a source has changed, but not when only its time has', async () => {
    const clone = newClone();
    await finish(clone.start());
    utimesSync(join(clone.root, 'workers', 'source.ts'), new Date(0), new Date(0));
    expect((await finish(clone.start())).output).toBe('');
    clone.write('clone/workers/source.ts', 'changed');
    await finish(clone.start());
    expect(clone.journal().filter((step) => step === 'compile')).toHaveLength(2);
  });

  it('warns of an ffmpeg that is no longer maintained, and continues', async () => {
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

  it('names every way to get an ffmpeg if there is none, and reports a wrong FFMPEG_PATH separately', async () => {
    const clone = newClone();
    clone.remove('bin/ffmpeg');
    const missing = await finish(clone.start());
    expect(missing.code).toBe(1);
    expect(missing.output).toMatch(/No ffmpeg was found[^]*PATH[^]*FFMPEG_PATH[^]*@ffmpeg-installer/);
    const wrong = await finish(clone.start({ FFMPEG_PATH: '/nowhere/ffmpeg' }));
    expect(wrong.code).toBe(1);
    expect(wrong.output).toContain('FFMPEG_PATH names /nowhere/ffmpeg');
  });
});
