import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { readHolder, takeLock, type Holder } from '../../workers/embedded/lock';
import { identify, type ProcessIdentity } from '../../workers/embedded/process-identity';

const self = identify(process.pid)!;
let count = 0;
const holder = (owner: ProcessIdentity = self): Holder => ({ process: owner, port: 1, token: `token-${(count += 1)}` });
const gone: ProcessIdentity = { ...self, startedAt: 'another time' };

describe("the store's lock", () => {
  let parent: string;
  let folder: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'dailies-lock-'));
    folder = join(parent, 'lock');
  });
  afterEach(() => {
    rmSync(parent, { recursive: true });
  });

  const takeMany = async (number: number) => {
    const taken = await Promise.all(Array.from({ length: number }, () => takeLock(folder, holder())));
    return taken.filter((lock) => lock !== undefined);
  };

  it('goes to one of many that find its holder dead, even if the pid is in use again', async () => {
    for (let round = 0; round < 20; round += 1) {
      const [lock] = await takeMany(10);
      await lock?.release();
      await takeLock(folder, holder(gone));
      expect(await readHolder(folder)).toBeUndefined();
      const takers = await takeMany(10);
      expect(takers).toHaveLength(1);
      await takers[0]?.release();
    }
  });

  it('is never held by two, however holders come and go', async () => {
    let inside = 0;
    let turns = 0;
    const contend = async () => {
      while (turns < 200) {
        const lock = await takeLock(folder, holder());
        if (lock === undefined) continue;
        inside += 1;
        expect(inside).toBe(1);
        await turn();
        inside -= 1;
        turns += 1;
        await lock.release();
      }
    };
    await Promise.all(Array.from({ length: 8 }, contend));
    expect(readdirSync(folder)).toHaveLength(1);
  });
});
