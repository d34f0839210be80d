import { join } from 'node:path';
import { type PriceTable } from '../../../contracts/money/price-table';
import { openStore, type Settled, type FolderStore, sumQuotes } from '../../../store';
import { notingPrices } from '../../../store/account/price-notes';
import { AT, intent, settled } from '../../support/ledger-fixtures';
import { temporaryFolder } from '../../support/temporary-folder';
import { recordsOf, withRecords } from '../../support/store-records';

interface TakeOptions {
  readonly account?: string;
  readonly model?: string;
  readonly state?: Settled['state'];
}

interface QuoteOptions {
  readonly model?: string;
  readonly table?: PriceTable;
}

describe('a quote', () => {
  let store: FolderStore;
  let takes = 0;
  beforeEach(async () => {
    store = await openStore(join(await temporaryFolder(), 'store'));
    takes = 0;
  });

  /** Settles a take of beta-video, and returns its address. */
  async function charge(
    credits: number | null,
    parameters: Record<string, unknown> = { duration: 4, resolution: '480p' },
    { account = 'sandbox', model = 'beta-2.5', state = 'completed' }: TakeOptions = {},
  ): Promise<{ productionId: string; shotId: string; take: number }> {
    takes += 1;
    // One in three is of another production: prices are the account's.
    const address = { productionId: takes % 3 === 0 ? 'other' : 'film', shotId: 'dawn', take: takes };
    const takeKey = takes.toString(16).padStart(64, '0');
    const at = new Date(Date.parse(AT) + takes * 1000).toISOString();
    const by = { id: model, output: 'video' as const };
    await store.ledger.intend(address, intent({ account, takeKey, model: by, parameters, at }));
    await store.ledger.settle(address, settled(state, `task-${takes}`, credits));
    return address;
  }

  const quote = (parameters: Record<string, unknown>, { model = 'beta-2.5', table = {} }: QuoteOptions = {}) =>
    store.account('sandbox').quotes(table)(model, parameters);

  it('is unknown without a charge or table', async () => {
    expect(await quote({ duration: 4 })).toEqual({
      model: 'beta-2.5',
      resolution: '1080p',
      seconds: null,
      credits: null,
      source: null,
      takes: 0,
    });
  });

  it('is looked up again after a read error, which may pass', async () => {
    await charge(20);
    const records = recordsOf(store);
    let failures = 1;
    const flaky = withRecords(store, {
      list: (key) => (failures-- > 0 ? Promise.reject(new Error('too many open files')) : records.list(key)),
    });
    const quotes = flaky.account('sandbox').quotes({});
    const parameters = { duration: 4, resolution: '480p' };
    await expect(quotes('beta-2.5', parameters)).rejects.toThrow('too many open files');
    expect((await quotes('beta-2.5', parameters)).credits).toEqual({ low: 20, high: 20 });
  });

  it('is learned by the second from takes of the same model and resolution, of all productions', async () => {
    for (const duration of [4, 5, 6]) await charge(duration * 5, { duration, resolution: '480p' });
    expect(await quote({ duration: 10, resolution: '480p' })).toMatchObject({
      seconds: 10,
      credits: { low: 50, high: 50 },
      source: 'ledger',
      takes: 3,
    });
    // The model's default.
    expect(await quote({ resolution: '480p' })).toMatchObject({ seconds: 5, credits: { low: 25, high: 25 } });
    expect(await quote({ duration: 4, resolution: '720p' })).toMatchObject({ credits: null });
    expect(await quote({ duration: 5, resolution: '480P' }, { model: 'alpha-3.0-video' })).toMatchObject({
      credits: null,
    });
  });

  it('does not learn from another account, from a failed task, or without a charge', async () => {
    await charge(20, undefined, { account: 'https://gateway.example.com' });
    await charge(20, undefined, { state: 'failed' });
    await charge(null);
    expect(await quote({ duration: 4, resolution: '480p' })).toMatchObject({ credits: null, takes: 0 });
  });

  it('shows a range if takes of one kind were charged differently, and sums by the highest', async () => {
    await charge(20);
    await charge(28);
    const range = await quote({ duration: 8, resolution: '480p' });
    expect(range).toMatchObject({ credits: { low: 40, high: 56 }, takes: 2 });
    const unknown = await quote({ duration: 8, resolution: '720p' });
    expect(sumQuotes([range, range, unknown])).toEqual({
      tasks: 3,
      credits: 112,
      unknown: 1,
      // 7 credits a second, for 2.25 times the pixels.
      estimated: { tasks: 1, credits: 126 },
    });
  });

  it('follows a change of prices, and forgets the old ones', async () => {
    await charge(4);
    for (let n = 0; n < 20; n += 1) await charge(8);
    expect(await quote({ duration: 4, resolution: '480p' })).toMatchObject({ credits: { low: 8, high: 8 }, takes: 20 });
  });

  it('is per task for requests without a length, or if the model chooses it', async () => {
    await charge(3, { prompt: 'a poster' }, { model: 'pixel-image-1' });
    expect(await quote({ prompt: 'another' }, { model: 'pixel-image-1' })).toMatchObject({
      seconds: null,
      resolution: null,
      credits: { low: 3, high: 3 },
    });
    await charge(48, { duration: -1, resolution: '720P' }, { model: 'alpha-3.0-video' });
    await charge(40, { duration: 5, resolution: '720P' }, { model: 'alpha-3.0-video' });
    const ofAlpha = { model: 'alpha-3.0-video' };
    expect(await quote({ duration: -1, resolution: '720P' }, ofAlpha)).toMatchObject({ credits: { high: 48 } });
    expect(await quote({ duration: 10, resolution: '720P' }, ofAlpha)).toMatchObject({ credits: { high: 80 } });
  });

  it('is estimated upwards from other resolutions of the model, and names the price', async () => {
    await charge(20, { duration: 4, resolution: '480p' });
    await charge(80, { duration: 8, resolution: '720p' });
    const estimateAt = async (resolution: string): Promise<unknown> => {
      const { credits, source, estimate } = await quote({ duration: 4, resolution });
      expect({ credits, source }).toEqual({ credits: null, source: null });
      return estimate;
    };
    // A larger picture has more pixels: 720p goes 2.25 times into 1080p, 480p 5.0625 times.
    expect(await estimateAt('1080p')).toEqual({
      credits: 101.25,
      from: { resolution: '480p', unit: 'second', credits: 5 },
    });
    // A smaller picture costs no more than a larger one.
    expect(await estimateAt('540p')).toEqual({
      credits: 40,
      from: { resolution: '720p', unit: 'second', credits: 10 },
    });
    expect(await estimateAt('cinema')).toBeUndefined();
    expect(await quote({ duration: 5 }, { model: 'alpha-3.0-video' })).not.toHaveProperty('estimate');
  });

  it('is estimated from the longest clip if the model chooses the length, and from the shortest vice versa', async () => {
    const ofAlpha = { model: 'alpha-3.0-video' };
    await charge(40, { duration: 5, resolution: '720P' }, ofAlpha);
    expect(await quote({ duration: -1, resolution: '720P' }, ofAlpha)).toMatchObject({ estimate: { credits: 240 } });
    await charge(48, { duration: -1, resolution: '480P' }, ofAlpha);
    expect((await quote({ duration: 5, resolution: '480P' }, ofAlpha)).estimate).toMatchObject({ credits: 40 });
  });

  it('is not estimated from a free task, such as one of a trial', async () => {
    await charge(0, { duration: 4, resolution: '1080p' });
    const { credits, estimate } = await quote({ duration: 4, resolution: '720p' });
    expect([credits, estimate]).toEqual([null, undefined]);
  });

  it('counts a take once although it is settled again, as after a crash', async () => {
    const address = await charge(20);
    await store.ledger.settle(address, settled('completed', 'task-1', 20));
    expect(await quote({ duration: 4, resolution: '480p' })).toMatchObject({ takes: 1 });
  });

  it('learns from a take once, despite a crash between the records of its price and its end', async () => {
    const { ledger } = store;
    const take = { productionId: 'film', shotId: 'dawn', take: 1 };
    await ledger.intend(take, intent({ parameters: { duration: 4, resolution: '480p' } }));
    const crashing = notingPrices({ ...ledger, settle: () => Promise.reject(new Error('killed')) }, recordsOf(store));
    await expect(crashing.settle(take, settled('completed', 'task-1', 20))).rejects.toThrow('killed');
    // An ended take is not visited again, so its price is recorded first.
    expect(await quote({ duration: 4, resolution: '480p' })).toMatchObject({ takes: 1 });
    expect(await ledger.settle(take, settled('completed', 'task-1', 20))).toMatchObject({ credits: 20 });
    expect(await quote({ duration: 4, resolution: '480p' })).toMatchObject({ credits: { high: 20 }, takes: 1 });
  });

  it('settles a take whose price cannot be recorded', async () => {
    const take = { productionId: 'film', shotId: 'dawn', take: 1 };
    await store.ledger.intend(take, { ...intent(), at: '/../..' });
    expect(await store.ledger.settle(take, settled('completed', 'task-1', 20))).toMatchObject({ credits: 20 });
    expect((await store.ledger.take(take))?.settled).toMatchObject({ credits: 20 });
  });

  describe('by the table', () => {
    const table: PriceTable = {
      'alpha-video': { perSecond: { '480P': 4, '720p': 8 } },
      'beta-2.5': { perSecond: 0.1 },
      'pixel-image-1': { perTask: 3 },
    };

    it('knows models by any name, resolutions in any case, and decimals without noise', async () => {
      const of = (model: string, parameters: object) => quote({ ...parameters }, { model, table });
      expect(await of('alpha-3.0-video', { duration: 10, resolution: '480P' })).toMatchObject({
        seconds: 10,
        credits: { low: 40, high: 40 },
        source: 'table',
        takes: 0,
      });
      expect(await of('alpha-3.0-video', { duration: 10 })).toMatchObject({
        credits: null,
        estimate: { credits: 202.5, from: { resolution: '480p', credits: 4 } },
      });
      expect(await of('alpha-3.0-video', { duration: -1, resolution: '480P' })).toMatchObject({ credits: null });
      expect(await of('beta-2.5', { duration: 7 })).toMatchObject({ credits: { high: 0.7 } });
      expect(await of('pixel-image-1', { duration: 9 })).toMatchObject({ seconds: null, credits: { high: 3 } });
    });

    it('yields to actual charges', async () => {
      await charge(20);
      expect(await quote({ duration: 4, resolution: '480p' }, { table })).toMatchObject({
        credits: { high: 20 },
        source: 'ledger',
      });
    });
  });
});
