import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { LockLost, readHolder, takeLock, type Holder } from '../../workers/embedded/lock';
import { identify, type ProcessIdentity } from '../../workers/embedded/process-identity';

const self = identify(process.pid)!;
let count = 0;
const holder = (owner: ProcessIdentity = self): Holder => ({ process: owner, port: 1, token: `token-${(count += 1)}` });
const elsewhere: ProcessIdentity = { ...self, machine: 'another machine' };

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

  it('is free if it was never taken', async () => {
    expect(await readHolder(folder)).toBeUndefined();
  });

  it('names its holder to those who look, and refuses a second one', async () => {
    const mine = holder();
    await takeLock(folder, mine);
    expect(await readHolder(folder)).toEqual(mine);
    expect(await takeLock(folder, holder())).toBeUndefined();
  });

  it('is free again once released', async () => {
    const lock = await takeLock(folder, holder());
    await lock?.release();
    expect(await readHolder(folder)).toBeUndefined();
    expect(await takeLock(folder, holder())).toBeDefined();
  });

  it('goes to one of many that want it at once', async () => {
    expect(await takeMany(30)).toHaveLength(1);
  });

  it('is not taken by a process that looked before others took, released and retook it', async () => {
    const first = await takeLock(folder, holder());
    await first?.release();
    const slow = takeLock(folder, holder());
    // It has looked, and is writing the file with which it will claim number 2.
    while (!readdirSync(folder).some((name) => name.endsWith('.part'))) await turn();
    writeFileSync(join(folder, '3'), JSON.stringify(holder()));
    rmSync(join(folder, '1'));
    expect(await slow).toBeUndefined();
    expect(readdirSync(folder)).toEqual(['3']);
  });

  it('is left to a holder on another machine for as long as that one touches it', async () => {
    const lock = await takeLock(folder, holder(elsewhere));
    expect(await takeLock(folder, holder())).toBeUndefined();
    const file = join(folder, readdirSync(folder)[0]!);
    const longAgo = new Date(statSync(file).mtimeMs - 3_600_000);
    utimesSync(file, longAgo, longAgo);
    expect(await readHolder(folder)).toBeUndefined();
    await lock?.touch();
    expect(await readHolder(folder)).toBeDefined();
    utimesSync(file, longAgo, longAgo);
    expect(await takeLock(folder, holder(), 50)).toBeDefined();
  });

  it('is left to a holder on another machine whose clock differs by hours, while that one touches it', async () => {
    const lock = await takeLock(folder, holder(elsewhere));
    const file = join(folder, readdirSync(folder)[0]!);
    const hoursAgo = new Date(Date.now() - 7_200_000);
    utimesSync(file, hoursAgo, hoursAgo);
    let touches = 0;
    const touching = setInterval(() => {
      touches += 1;
      utimesSync(file, hoursAgo, new Date(hoursAgo.getTime() + touches * 5_000));
    }, 20);
    expect(await takeLock(folder, holder(), 2_000)).toBeUndefined();
    clearInterval(touching);
    await lock?.touch();
  });

  it.each([
    ['behind', -3_600_000],
    ['ahead', 3_600_000],
  ])('is taken over from a holder on another machine that has ended with its clock %s', async (_, offsetMs) => {
    await takeLock(folder, holder(elsewhere));
    const file = join(folder, readdirSync(folder)[0]!);
    const time = new Date(Date.now() + offsetMs);
    utimesSync(file, time, time);
    expect(await takeLock(folder, holder(), 50)).toBeDefined();
  });

  it('tells a holder that it has lost the lock, and stays with the new holder when that one releases it', async () => {
    const paused = await takeLock(folder, holder(elsewhere));
    const file = join(folder, readdirSync(folder)[0]!);
    utimesSync(file, new Date(0), new Date(0));
    const mine = holder();
    await takeLock(folder, mine, 50);
    await expect(paused?.touch()).rejects.toThrow(LockLost);
    await paused?.release();
    expect(await readHolder(folder)).toEqual(mine);
  });

  it('tells a holder that the lock has been removed, and makes none when that one releases it', async () => {
    const lock = await takeLock(folder, holder());
    rmSync(folder, { recursive: true });
    await expect(lock?.touch()).rejects.toThrow('cannot be found');
    await expect(lock?.touch()).rejects.toThrow(LockLost);
    await lock?.release();
    expect(await takeLock(folder, holder())).toBeDefined();
  });

  it('shows its token only to its owner', async () => {
    await takeLock(folder, holder());
    expect(statSync(folder).mode & 0o077).toBe(0);
  });
});
