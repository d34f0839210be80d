import { join } from 'node:path';
import { openStore, type FolderStore, UnreadableRecord } from '../../../store';
import { createUsualTimes } from '../../../store/account/usual-times';
import { memoryDrivers, newMemory } from '../../support/memory-drivers';
import { temporaryFolder } from '../../support/temporary-folder';
import { recordsOf } from '../../support/store-records';

describe('the usual times of a model', () => {
  let store: FolderStore;

  beforeEach(async () => {
    store = await openStore(join(await temporaryFolder(), 'store'));
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('need at least three tasks, and are the 10th, 50th and 90th percentile', async () => {
    const times = store.account('account').usualTimes;
    for (const ms of [1_000, 3_000]) await times.note('beta', ms);
    expect(await times.forModel('beta')).toBeUndefined();
    await times.note('beta', 2_000);
    expect(await times.forModel('beta')).toMatchObject({ quickMs: 1_000, medianMs: 2_000, slowMs: 3_000 });
    for (const ms of [4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000, 11_000]) await times.note('beta', ms);
    expect(await times.forModel('beta')).toMatchObject({ quickMs: 2_000, medianMs: 6_000, slowMs: 10_000 });
    expect(await store.account('another').usualTimes.forModel('beta')).toBeUndefined();
  });

  it('record when each of the last fifty tasks was last seen pending, if that is known', async () => {
    const times = store.account('account').usualTimes;
    for (let task = 0; task < 50; task += 1) await times.note('beta', 1_000);
    await times.note('beta', 5_000, 4_000);
    await times.note('beta', 6_000, 0);
    for (const read of [times, store.account('account').usualTimes]) {
      const { seen = [] } = (await read.forModel('beta')) ?? {};
      expect(seen).toHaveLength(50);
      expect(seen.slice(-3)).toEqual([
        { afterMs: undefined, byMs: 1_000 },
        { afterMs: 4_000, byMs: 5_000 },
        { afterMs: 0, byMs: 6_000 },
      ]);
    }
  });

  it('ignore a task that nothing read for 15 minutes, also one that an earlier version recorded', async () => {
    const times = store.account('account').usualTimes;
    for (const ms of [1_000, 2_000, 3_000]) await times.note('beta', ms, 0);
    await times.note('beta', 162_000_000, 0);
    await times.note('beta', 901_000, 0);
    await times.note('beta', 1_801_001, 901_000);
    await times.note('beta', 1_801_000, 901_000);
    expect((await times.forModel('beta'))?.seen.map(({ byMs }) => byMs)).toEqual([1_000, 2_000, 3_000, 1_801_000]);
    const [name = ''] = await recordsOf(store).list('usual-times');
    await recordsOf(store).replace(`usual-times/${name}`, [1_000, [0, 162_000_000], 2_000, 3_000]);
    expect(await store.account('account').usualTimes.forModel('beta')).toMatchObject({ seen: { length: 3 } });
  });

  it('are the same object until more is known', async () => {
    const times = store.account('account').usualTimes;
    for (const ms of [1_000, 2_000, 3_000]) await times.note('beta', ms);
    const usual = await times.forModel('beta');
    expect(await times.forModel('beta')).toBe(usual);
    await times.note('beta', 4_000);
    expect((await times.forModel('beta'))?.seen).toHaveLength(4);
  });

  it('are read from a record with ends only, as earlier versions wrote it', async () => {
    const times = store.account('account').usualTimes;
    await times.note('beta', 1_000);
    const [name = ''] = await recordsOf(store).list('usual-times');
    await recordsOf(store).replace(`usual-times/${name}`, [1_000, 2_000, 3_000]);
    const usual = await store.account('account').usualTimes.forModel('beta');
    expect(usual).toMatchObject({ medianMs: 2_000 });
    expect(usual?.seen.at(-1)).toEqual({ afterMs: undefined, byMs: 3_000 });
  });

  it('are kept if they cannot be read for a moment', async () => {
    const memory = newMemory();
    const { records } = memoryDrivers(memory, await temporaryFolder());
    const times = createUsualTimes(records, 'account');
    for (const ms of [1_000, 2_000, 3_000]) await times.note('beta', ms);
    const before = [...memory.records.values()];
    const cause = Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
    for (const error of [cause, new UnreadableRecord('the record cannot be read', cause)]) {
      const read = jest.fn((key: string) => records.read(key)).mockRejectedValueOnce(error);
      const again = createUsualTimes({ ...records, read }, 'account');
      await again.note('beta', 9_000);
      expect([...memory.records.values()]).toEqual(before);
      expect(await again.forModel('beta')).toMatchObject({ seen: { length: 3 } });
    }
  });

  it('replace a damaged record', async () => {
    const memory = newMemory();
    const { records } = memoryDrivers(memory, await temporaryFolder());
    await createUsualTimes(records, 'account').note('beta', 1_000);
    for (const key of memory.records.keys()) memory.records.set(key, '[1000');
    await createUsualTimes(records, 'account').note('beta', 2_000);
    expect([...memory.records.values()]).toEqual(['[2000]']);
  });

  it('that another worker learns are known within moments', async () => {
    jest.useFakeTimers({ now: 0, doNotFake: ['nextTick', 'setImmediate'] });
    const [mine, other] = [store.account('account').usualTimes, store.account('account').usualTimes];
    expect(await mine.forModel('beta')).toBeUndefined();
    for (const ms of [1_000, 2_000, 3_000]) await other.note('beta', ms);
    jest.setSystemTime(10_000);
    expect(await mine.forModel('beta')).toMatchObject({ medianMs: 2_000 });
    await mine.note('beta', 4_000);
    jest.setSystemTime(20_000);
    expect(await other.forModel('beta')).toMatchObject({ quickMs: 1_000, medianMs: 2_000, slowMs: 4_000 });
    expect(await records()).toEqual([[1_000, 2_000, 3_000, 4_000]]);
  });

  async function records(): Promise<readonly unknown[]> {
    const names = await recordsOf(store).list('usual-times');
    return Promise.all(names.map((name) => recordsOf(store).read(`usual-times/${name.replace(/\.json$/, '')}`)));
  }
});
