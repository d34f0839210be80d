import { join } from 'node:path';
import { EmbeddedSetFailed } from '../../workers/embedded/errors';
import { Part } from '../../workers/embedded/part';
import { temporaryFolder } from '../support/temporary-folder';

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
});
