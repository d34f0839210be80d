import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
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
  it('prepares a fresh clone in order, and says what it does and how long that may take', async () => {
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

  it('is silent and does nothing if there is nothing to do', async () => {
    const clone = newClone();
    await finish(clone.start());
    const before = clone.journal();
    expect(await finish(clone.start())).toEqual({ code: 0, output: '' });
    expect(clone.journal()).toEqual(before);
  });

  it('leaves nothing that looks complete when it is killed, and starts over', async () => {
    const clone = newClone();
    // Longer than this process may stall.
    const killed = clone.start({ GO_MS: '10000' });
    while (!clone.has('cache/bin/fetched/temporal')) await delay(10);
    killed.kill('SIGKILL');
    await finish(killed);
    expect(clone.has('cache/bin/temporal')).toBe(false);
    expect((await finish(clone.start())).code).toBe(0);
    expect(clone.read('cache/bin/temporal')).toBe('#!/bin/sh\n');
    expect(clone.has('cache/bin/fetched')).toBe(false);
  });

  it('names every way to get a Temporal server if none works', async () => {
    const clone = newClone();
    clone.remove('bin/go');
    const { code, output } = await finish(clone.start());
    expect(code).toBe(1);
    expect(output).toMatch(/No Temporal server was found[^]*TEMPORAL_ADDRESS[^]*Temporal CLI[^]*Go 1\./);
  });

  it('requires a newer Node before anything else', () => {
    const clone = newClone();
    const old = "Object.defineProperty(process.versions, 'node', { value: '18.20.0' });";
    const setup = JSON.stringify(join(clone.root, 'scripts', 'setup', 'setup.cjs'));
    const run = () =>
      execFileSync(process.execPath, ['-e', `${old} require(${setup})`], { env: clone.env, stdio: 'pipe' });
    expect(run).toThrow('Dailies needs Node.js 20.19 or newer');
    expect(clone.has('clone/node_modules')).toBe(false);
  });
});
