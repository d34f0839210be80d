import { createBatchPrograms } from '../../../client/programs/batches';
import { type RetryPlan } from '../../../client/programs';
import { type ProgramContext } from '../../../client/programs/context';
import { planRetry } from '../../../client/batch/plan-retry';
import { type FrozenProduction } from '../../../contracts/render/frozen';
import { openStore, type Quotes, type Store } from '../../../store';
import { recordRun, recordedEnd, recordedRow } from '../../support/batch-records';
import { temporaryFolder } from '../../support/temporary-folder';

/** Each second costs two credits. A task without a length has no known price. */
const quotes: Quotes = (model, { duration }) =>
  Promise.resolve({
    ...{ model, resolution: null, seconds: Number(duration), source: 'table', takes: 0 },
    credits: typeof duration === 'number' ? { low: 0, high: 2 * duration } : null,
  });

describe('rendering failed rows again', () => {
  let store: Store;

  beforeAll(async () => {
    store = await openStore(await temporaryFolder());
    const shot = (id: string, parameters: object) => ({ id, model: { id: 'beta-2.5', output: 'video' }, parameters });
    const frozen = await store.putJson({
      ...{ version: 1, id: 'shop', title: 'shop' },
      shots: [
        ...[shot('done', { duration: 9 }), shot('refused', { duration: 5 }), shot('late', { duration: 7 })],
        ...[shot('timeless', {}), shot('left', { duration: 3 })],
      ].map((one) => ({ ...one, files: {} })) as FrozenProduction['shots'],
    } satisfies FrozenProduction);
    const keys = ['done', 'refused', 'late', 'timeless', 'left'];
    const failed = { state: 'failed', credits: null } as const;
    const ends = [recordedEnd('refused', failed), recordedEnd('timeless', failed), recordedEnd('late', failed)];
    const rows = keys.map((key) => recordedRow(key));
    await recordRun(store, 'shop', { rows, ends: [recordedEnd('done'), ...ends], frozen, rowsPerPage: 2 });
  });

  async function planned(again: 'failed' | 'missing'): Promise<RetryPlan> {
    const begun = await store.batches.begun('shop');
    if (begun === undefined) throw new Error('it has begun');
    return planRetry(store, begun, 'shop', { again, quotes });
  }

  it('is priced by the requests of the failed rows, as they were frozen', async () => {
    expect(await planned('failed')).toEqual({
      ...{ batch: 'shop', run: 1, rows: 5, open: 3, first: ['refused', 'late', 'timeless'] },
      quote: { tasks: 3, credits: 24, unknown: 1 },
    });
    // The output of the completed row is in no store, so it is missing too.
    expect(await planned('missing')).toMatchObject({ open: 5, quote: { tasks: 5, credits: 48 } });
  });

  it('begins only what was planned, also after a round trip through JSON', async () => {
    const plan = await planned('failed');
    const begun: string[] = [];
    const batches = {
      planRetry: () => planned('failed'),
      retryFailed: (id: string) => Promise.resolve(void begun.push(id)),
      report: () => Promise.resolve({ batch: 'shop' }),
    };
    const context = { store, client: { batches }, quotes: () => quotes, tellOfNoWorker: () => Promise.resolve() };
    // The parts that it uses.
    const programs = createBatchPrograms(context as unknown as ProgramContext);
    for (const other of [
      { ...plan, run: 2 },
      { ...plan, quote: { ...plan.quote, credits: 23 } },
    ]) {
      await expect(programs.retryFailed('shop', { wait: false, plan: other })).rejects.toThrow(/as planned/);
    }
    expect(begun).toEqual([]);
    const kept = JSON.parse(JSON.stringify(plan)) as RetryPlan;
    await programs.retryFailed('shop', { wait: false, plan: kept });
    expect(begun).toEqual(['shop']);
  });
});
