import {
  batchReport,
  createRowViews,
  type LiveBatch,
  resultLine,
  type RowView,
  rowStandings,
} from '../../../client/batch';
import { isUnpriced } from '../../../client/batch/row-table';
import { type FolderStore, openStore } from '../../../store';
import {
  countingReads,
  OWN_ACCOUNT,
  recordEnds,
  recordRun,
  recordedEnd,
  recordedRow,
} from '../../support/batch-records';
import { temporaryFolder } from '../../support/temporary-folder';

const keysOf = (rows: readonly RowView[] = []): readonly string[] => rows.map(({ key }) => key);

function liveWith(underWay: readonly string[]): LiveBatch {
  const counts = { completed: 0, failed: 0, skipped: 0, cancelled: 0, parked: 0 };
  const times = { startedAt: '2026-11-22T01:00:00.000Z', endedAt: null };
  const status = { batch: 'b', run: 1, state: 'running', reason: null, rows: 1, open: 1, counts, underWay } as const;
  return { isRunning: true, endedAs: null, status: { ...status, ...times } };
}

describe('rows of a batch', () => {
  let store: FolderStore;

  beforeAll(async () => {
    store = await openStore(await temporaryFolder());
  });

  it('have the same states, ends and counts as the whole report, over runs, contents and accounts', async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `r${index + 1}`);
    const rows = keys.map((key) => recordedRow(key));
    const refused = { state: 'failed', reason: 'refused', credits: null } as const;
    const first = [
      recordedEnd('r1'),
      recordedEnd('r2', refused),
      recordedEnd('r3', { digest: 'of an older text' }),
      recordedEnd('r4'),
      recordedEnd('r5', { state: 'parked', parkedFor: 'unclear', reason: 'unclear' }),
      recordedEnd('r6', { fallback: true }),
      recordedEnd('r10', { state: 'parked', parkedFor: 'overdue', credits: null }),
      recordedEnd('r11', { credits: null }),
      recordedEnd('r12', { state: 'failed', taskId: null, credits: null }),
      recordedEnd('gone'),
    ];
    await recordRun(store, 'messy', { rows, ends: first, endsPerPage: 2, state: 'incomplete' });
    await recordRun(store, 'messy', { rows, ends: [recordedEnd('r7')], run: 2, account: 'other' });
    // A later end of another content hides the earlier one.
    const later = [recordedEnd('r2'), recordedEnd('r4', { digest: 'of an older text' }), recordedEnd('r8', refused)];
    await recordRun(store, 'messy', { rows, ends: later, run: 3, rowsPerPage: 5 });

    const begun = await store.batches.begun('messy');
    if (begun === undefined) throw new Error('it has begun');
    const live = liveWith(['r9', 'r1', 'unknown']);
    const lines = [];
    for await (const one of rowStandings(store, begun, 'messy', live)) lines.push(await resultLine(store, one, null));
    const views = createRowViews(store);
    const results = [];
    for await (const one of (await views.results('messy', live)) ?? []) results.push(one);
    expect(results).toEqual(lines);
    expect(results.map(({ state }) => state)).toEqual([
      ...['under way', 'completed', 'pending', 'pending', 'parked', 'completed'],
      ...['pending', 'failed', 'under way', 'parked', 'completed', 'failed'],
    ]);
    const report = await batchReport(store, 'messy', live);
    const { paused, ...summary } = (await views.summary('messy', live)) ?? {};
    expect(paused).toBeNull();
    expect(report).toMatchObject(summary);
    expect(summary).toMatchObject({
      credits: 4,
      unclear: 1,
      // Of r8 and r11. The task of r10 has not ended, and r12 has no task.
      tasksWithoutPrice: 2,
      account: OWN_ACCOUNT,
      run: 3,
      counts: { completed: 3, underWay: 2 },
    });
  });

  it('are found by state and by the beginning of their keys, page by page', async () => {
    const keys = Array.from({ length: 25 }, (_, index) => `${index % 2 === 0 ? 'cup' : 'pot'}-${index}`);
    const ends = keys.map((key, index) => recordedEnd(key, index % 5 === 0 ? { state: 'failed' } : {}));
    await recordRun(store, 'shop', { rows: keys.map((key) => recordedRow(key)), ends, endsPerPage: 3 });
    const views = createRowViews(store);
    const cups = await views.page('shop', { key: 'cup-', state: 'failed', offset: 1, limit: 2 }, undefined);
    expect(cups?.matching).toBe(3);
    expect(keysOf(cups?.rows)).toEqual(['cup-10', 'cup-20']);
    expect(await views.page('shop', { offset: 1_000, limit: 2 }, undefined)).toEqual({ matching: 25, rows: [] });
    expect(await views.page('nobody', { offset: 0, limit: 2 }, undefined)).toBeUndefined();
  });

  it('read the results of one page only, of 5,000 rows, and what is new since', async () => {
    const keys = Array.from({ length: 5_000 }, (_, index) => `row-${index}`);
    const ends = keys.slice(0, 4_000).map((key) => recordedEnd(key));
    await recordRun(store, 'big', { rows: keys.map((key) => recordedRow(key)), ends, endsPerPage: 100 });
    const { store: counted, reads } = countingReads(store);
    const views = createRowViews(counted);
    await views.page('big', { offset: 0, limit: 100 }, undefined);
    const opened = reads();
    const page = await views.page('big', { offset: 150, limit: 100 }, undefined);
    expect(keysOf(page?.rows).at(0)).toBe('row-150');
    // The run twice, the next page of results, which is not there yet, and the two pages that have the ends of the
    // rows.
    expect(reads().records - opened.records).toBeLessThanOrEqual(5);
    expect(reads().assets).toBe(opened.assets);

    await recordEnds(store, 'big', 1, [recordedEnd('row-4500', { state: 'failed' })], { from: 41 });
    const failed = await views.page('big', { state: 'failed', offset: 0, limit: 100 }, undefined);
    expect(keysOf(failed?.rows)).toEqual(['row-4500']);
    expect(reads().records - opened.records).toBeLessThanOrEqual(11);
  });
});

it.each([
  ['uncollected', true],
  ['failed', true],
  ['overdue', false],
  ['unclear', false],
] as const)('a row parked as %s has a paid task without a price: %s', (parkedFor, expected) => {
  expect(isUnpriced(recordedEnd('row', { state: 'parked', parkedFor, taskId: 'task', credits: null }))).toBe(expected);
});
