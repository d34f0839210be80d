import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedSetFailed } from '../../workers/embedded/errors';
import { Part } from '../../workers/embedded/part';
import { temporaryFolder } from '../support/temporary-folder';

const delays: number[] = [];
jest.mock('node:timers/promises', () => ({
  setTimeout: (ms: number) => {
    delays.push(ms);
    return new Promise(setImmediate);
  },
}));

describe('a part of the embedded set', () => {
  it('names the cause if its log can be neither opened nor read', async () => {
    const plan = { name: 'first', script: 'none.cjs', env: {}, settings: null, after: [], graceMs: 1_000 };
    const logFile = join(await temporaryFolder(), 'no-such-folder', 'first.log');
    const reasons: string[] = [];
    const listener = { notice: () => undefined, started: () => undefined };
    const part = new Part(plan, logFile, { ...listener, givenUp: (reason) => void reasons.push(reason) });
    const failed: unknown = await part.start({}).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(EmbeddedSetFailed);
    expect((failed as Error).message).toMatch(/first did not start \(Error: ENOENT.*Its log cannot be read/);
    expect(reasons).toEqual([expect.stringContaining('first cannot be run: Error: ENOENT')]);
  });

  it('is given up if it never gets ready again, although each attempt takes longer than a stable part runs', async () => {
    const folder = await temporaryFolder();
    const script = join(folder, 'once.cjs');
    await writeFile(
      script,
      `process.once('message', ({ announced }) => {
        if (announced === null) process.send('ready', () => process.exit(1));
        else process.exit(2);
      });`,
    );
    let now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => (now += 70_000));
    const plan = { name: 'first', script, env: {}, settings: null, after: [], graceMs: 1_000 };
    const listener = { notice: () => undefined, started: () => undefined };
    const givenUp = new Promise<string>((resolve) => {
      const part = new Part(plan, join(folder, 'first.log'), { ...listener, givenUp: resolve });
      void part.start({});
    });
    expect(await givenUp).toContain('first keeps ending (exit code 2)');
    expect(delays.filter((ms) => ms >= 250)).toEqual([250, 500, 1_000, 2_000, 4_000]);
  });
});
