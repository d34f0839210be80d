import { expectedBatchEnd, type LiveBatch } from '../../../client/batch';
import { paceOf, timeByPace } from '../../../client/batch/expected-batch-end';
import { type FolderStore, openStore } from '../../../store';
import { countingReads, OWN_ACCOUNT, recordedEnd, recordedRow, recordRun } from '../../support/batch-records';
import { temporaryFolder } from '../../support/temporary-folder';

const MINUTE = 60_000;

/** Times in minutes at which rows ended. */
const at = (...minutes: readonly number[]): readonly number[] => minutes.map((minute) => minute * MINUTE);

describe('the pace of a batch', () => {
  const long = at(0, ...Array.from({ length: 13 }, (_, row) => 1_000 + row));
  it.each([
    ['is unknown before two blocks have ended', at(0, 1, 2, 3, 4, 5), null],
    ['is the same if rows end evenly', at(0, 1, 2, 3, 4, 5, 6), [1, 1, 1]],
    ['is that of whole blocks if rows end together', at(0, 0, 0, 6, 6, 6, 12, 12, 12), [2, 2, 2]],
    ['has the slowest and the quickest block as bounds', at(0, 1, 2, 3, 5, 7, 9, 10, 11, 12), [1, 1, 2]],
    ['leaves out what was long ago', long, [1, 1, 1]],
  ])('%s', (_words, endedMs, minutes) => {
    const pace = paceOf(endedMs, 3);
    expect(pace && [pace.lowMs, pace.medianMs, pace.highMs]).toEqual(minutes && at(...minutes));
  });

  it.each([
    [10, [10, 20, 30]],
    [1, [1, 2, 12]],
  ])('makes %d rows last a range of times, at the latest that of a whole row', (left, minutes) => {
    const time = timeByPace({ lowMs: MINUTE, medianMs: 2 * MINUTE, highMs: 3 * MINUTE }, left, 4);
    expect([time.lowMs, time.medianMs, time.highMs]).toEqual(at(...minutes));
  });
});

describe('the expected end of a batch', () => {
  let store: FolderStore;
  const nowMs = Date.parse('2026-11-22T04:00:00.000Z');
  const keys = Array.from({ length: 40 }, (_, index) => `r${index + 1}`);
  const rows = keys.map((key) => recordedRow(key));

  beforeAll(async () => {
    store = await openStore(await temporaryFolder());
  });

  /** A batch of 40 rows, of which `ended` have ended, one a minute until now. */
  async function batchWith(batchId: string, ended: number): Promise<void> {
    const ends = keys
      .slice(0, ended)
      .map((key, index) => recordedEnd(key, { at: new Date(nowMs - (ended - 1 - index) * MINUTE).toISOString() }));
    await recordRun(store, batchId, { rows, ends, endsPerPage: 4, parallel: 4 });
  }

  async function expectedOf(
    batchId: string,
    completed: number,
    changes: Partial<Status> = {},
    of: FolderStore = store,
    laterMs = 0,
  ) {
    const begun = await of.batches.begun(batchId);
    if (begun === undefined) throw new Error('the batch has not begun');
    const counts = { completed, failed: 0, skipped: 0, cancelled: 0, parked: 0 };
    const times = { startedAt: '2026-11-22T01:00:00.000Z', endedAt: null };
    const status = { batch: batchId, run: 1, state: 'running', reason: null, rows: 40, open: 40, counts } as const;
    return expectedBatchEnd(of, begun, { ...status, underWay: [], ...times, ...changes }, nowMs + laterMs);
  }
  const inMinutes = (expected: Awaited<ReturnType<typeof expectedOf>>) =>
    expected && [expected.earliest, expected.at, expected.latest].map((time) => (Date.parse(time) - nowMs) / MINUTE);

  it('follows the pace of its last rows', async () => {
    await batchWith('steady', 30);
    const expected = await expectedOf('steady', 30);
    expect(inMinutes(expected)).toEqual([10, 10, 10]);
    expect(expected?.waitsThen).toBe(false);
  });

  it('leaves out rows that wait for a person, and says that they wait', async () => {
    const counts = { completed: 30, failed: 0, skipped: 0, cancelled: 0, parked: 4 };
    const expected = await expectedOf('steady', 30, { counts });
    expect(inMinutes(expected)).toEqual([6, 6, 6]);
    expect(expected?.waitsThen).toBe(true);
  });

  it('uses the usual times of its models until enough rows have ended, and is unknown without them', async () => {
    await batchWith('young', 2);
    expect(await expectedOf('young', 2)).toBeNull();
    const { usualTimes } = store.account(OWN_ACCOUNT);
    for (let task = 0; task < 20; task += 1) await usualTimes.note('quill-text-1', 5 * MINUTE);
    expect(inMinutes(await expectedOf('young', 2))).toEqual([47.5, 47.5, 47.5]);
  });

  it('counts how long rows have run that began with the batch', async () => {
    await batchWith('begun', 0);
    const startedAt = new Date(nowMs - 2 * MINUTE).toISOString();
    const open = { rows: 3, open: 3, underWay: keys.slice(0, 3), startedAt };
    expect(inMinutes(await expectedOf('begun', 0, open))).toEqual([3, 3, 3]);
  });

  it('reads the last pages of results only, whatever their number', async () => {
    const many = Array.from({ length: 400 }, (_, index) => recordedRow(`m${index}`));
    const ends = many.map(({ key }, index) =>
      recordedEnd(key, { at: new Date(nowMs - (many.length - 1 - index) * MINUTE).toISOString() }),
    );
    await recordRun(store, 'many', { rows: many, ends, endsPerPage: 1, parallel: 40 });
    const counted = countingReads(store);
    const status = { rows: 410, open: 410, counts: { completed: 400, failed: 0, skipped: 0, cancelled: 0, parked: 0 } };
    expect(inMinutes(await expectedOf('many', 400, status, counted.store))).toEqual([10, 10, 40]);
    expect(counted.reads().records).toBeLessThan(140);
  });

  it('reads as many pages as have two blocks of rows', async () => {
    const many = Array.from({ length: 400 }, (_, index) => recordedRow(`w${index}`));
    const ends = many.map(({ key }, index) =>
      recordedEnd(key, { at: new Date(nowMs - (many.length - 1 - index) * MINUTE).toISOString() }),
    );
    await recordRun(store, 'wide', { rows: many, ends, endsPerPage: 1, parallel: 150 });
    const counts = { completed: 400, failed: 0, skipped: 0, cancelled: 0, parked: 0 };
    expect(inMinutes(await expectedOf('wide', 400, { rows: 410, open: 410, counts }))).toEqual([10, 10, 150]);
  });

  it('counts a row once that parked and ended later', async () => {
    const ended = (key: string, minutes: number, changes = {}) =>
      recordedEnd(key, { at: new Date(nowMs - minutes * MINUTE).toISOString(), ...changes });
    const parked = { state: 'parked', parkedFor: 'unclear' } as const;
    const ends = [
      ...keys.slice(0, 9).map((key, index) => ended(key, 16 - 2 * index, parked)),
      ...keys.slice(0, 8).map((key) => ended(key, 0)),
    ];
    await recordRun(store, 'resolved', { rows, ends, endsPerPage: 4, parallel: 4 });
    expect(inMinutes(await expectedOf('resolved', 9))).toEqual([62, 62, 62]);
  });

  it.each<[string, number, Partial<Status>]>([
    ['all rows have ended', 40, {}],
    ['it stops after failures', 30, { reason: 'stopped after 3 failed rows' }],
  ])('is unknown if %s', async (_words, completed, changes) => {
    expect(await expectedOf('steady', completed, changes)).toBeNull();
  });

  it('is unknown if no row has ended for longer than two blocks take', async () => {
    await batchWith('stalled', 30);
    expect(await expectedOf('stalled', 30, {}, store, 8 * MINUTE)).not.toBeNull();
    expect(await expectedOf('stalled', 30, {}, store, 9 * MINUTE)).toBeNull();
  });

  it('is unknown while it is paused', async () => {
    await store.holds.pause('steady', 'by hand');
    expect(await expectedOf('steady', 30)).toBeNull();
  });
});

type Status = NonNullable<LiveBatch['status']>;
