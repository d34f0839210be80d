import { join } from 'node:path';
import { createUsualTimes, openStore, type Store } from '../../store';
import { temporaryFolder } from '../support/temporary-folder';

describe('the usual times of a model', () => {
  let store: Store;

  beforeEach(async () => {
    store = await openStore(join(await temporaryFolder(), 'store'));
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('need at least three tasks, and are the 10th, 50th and 90th percentile', async () => {
    const times = createUsualTimes(store.records, 'account');
    for (const ms of [1_000, 3_000]) await times.note('beta', ms);
    expect(await times.of('beta')).toBeUndefined();
    for (const ms of [2_000, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000, 11_000]) await times.note('beta', ms);
    expect(await times.of('beta')).toMatchObject({ quickMs: 2_000, medianMs: 6_000, slowMs: 10_000 });
    expect(await createUsualTimes(store.records, 'another').of('beta')).toBeUndefined();
  });

  it('record when each of the last fifty tasks was last seen pending, if that is known', async () => {
    const times = createUsualTimes(store.records, 'account');
    for (let task = 0; task < 50; task += 1) await times.note('beta', 1_000);
    await times.note('beta', 5_000, 4_000);
    await times.note('beta', 6_000, 0);
    for (const read of [times, createUsualTimes(store.records, 'account')]) {
      const { seen = [] } = (await read.of('beta')) ?? {};
      expect(seen).toHaveLength(50);
      expect(seen.slice(-3)).toEqual([
        { afterMs: undefined, byMs: 1_000 },
        { afterMs: 4_000, byMs: 5_000 },
        { afterMs: 0, byMs: 6_000 },
      ]);
    }
  });

  it('are the same object until more is known', async () => {
    const times = createUsualTimes(store.records, 'account');
    for (const ms of [1_000, 2_000, 3_000]) await times.note('beta', ms);
    const usual = await times.of('beta');
    expect(await times.of('beta')).toBe(usual);
    await times.note('beta', 4_000);
    expect((await times.of('beta'))?.seen).toHaveLength(4);
  });

  it('are read from a record with ends only, as earlier versions wrote it', async () => {
    const times = createUsualTimes(store.records, 'account');
    await times.note('beta', 1_000);
    const [name = ''] = await store.records.list('usual-times');
    await store.records.replace(`usual-times/${name}`, [1_000, 2_000, 3_000]);
    const usual = await createUsualTimes(store.records, 'account').of('beta');
    expect(usual).toMatchObject({ medianMs: 2_000 });
    expect(usual?.seen.at(-1)).toEqual({ afterMs: undefined, byMs: 3_000 });
  });

  it('that another worker learns are known within moments', async () => {
    jest.useFakeTimers({ now: 0, doNotFake: ['nextTick', 'setImmediate'] });
    const [mine, other] = [createUsualTimes(store.records, 'account'), createUsualTimes(store.records, 'account')];
    expect(await mine.of('beta')).toBeUndefined();
    for (const ms of [1_000, 2_000, 3_000]) await other.note('beta', ms);
    jest.setSystemTime(10_000);
    expect(await mine.of('beta')).toMatchObject({ medianMs: 2_000 });
    await mine.note('beta', 4_000);
    jest.setSystemTime(20_000);
    expect(await other.of('beta')).toMatchObject({ quickMs: 1_000, medianMs: 2_000, slowMs: 3_000 });
    expect(await records()).toEqual([[1_000, 2_000, 3_000, 4_000]]);
  });

  async function records(): Promise<readonly unknown[]> {
    const names = await store.records.list('usual-times');
    return Promise.all(names.map((name) => store.records.read(`usual-times/${name.replace(/\.json$/, '')}`)));
  }
});
