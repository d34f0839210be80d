import { expectedBatchEnd, type LiveBatch } from '../../../client/batch';
import { timeByPace } from '../../../client/batch/expected-batch-end';
import { type FolderStore, openStore } from '../../../store';
import { OWN_ACCOUNT, recordedEnd, recordedRow, recordRun } from '../../support/batch-records';
import { temporaryFolder } from '../../support/temporary-folder';

const MINUTE = 60_000;

/** Times in minutes at which rows ended. */
const at = (...minutes: readonly number[]): readonly number[] => minutes.map((minute) => minute * MINUTE);

describe('the pace of a batch', () => {
  it.each([
    ['is unknown before two blocks have ended', at(0, 1, 2, 3, 4, 5), 3, 5, null],
    ['is the same if rows end evenly', at(0, 1, 2, 3, 4, 5, 6), 3, 6, [10, 10, 10]],
    ['is that of whole blocks if rows end together', at(0, 0, 0, 6, 6, 6, 12, 12, 12), 3, 12, [20, 20, 20]],
    ['has the slowest and the quickest block as bounds', at(0, 1, 2, 3, 5, 7, 9, 10, 11, 12), 3, 12, [10, 10, 20]],
    ['is slower if nothing has ended for longer than a block takes', at(0, 1, 2, 3, 4, 5, 6), 3, 18, [10, 10, 40]],
    [
      'leaves out what was long ago',
      at(0, ...Array.from({ length: 13 }, (_, row) => 1_000 + row)),
      3,
      1_012,
      [10, 10, 10],
    ],
  ])('%s', (_words, endedMs, block, now, minutes) => {
    const time = timeByPace({ endedMs, left: 10, block, nowMs: now * MINUTE });
    expect(time && [time.lowMs, time.medianMs, time.highMs]).toEqual(minutes && at(...minutes));
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

  async function expectedOf(batchId: string, completed: number, changes: Partial<Status> = {}) {
    const begun = await store.batches.begun(batchId);
    if (begun === undefined) throw new Error('the batch has not begun');
    const counts = { completed, failed: 0, skipped: 0, cancelled: 0, parked: 0 };
    const times = { startedAt: '2026-11-22T01:00:00.000Z', endedAt: null };
    const status = { batch: batchId, run: 1, state: 'running', reason: null, rows: 40, open: 40, counts } as const;
    return expectedBatchEnd(store, begun, { ...status, underWay: [], ...times, ...changes }, nowMs);
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

  it.each<[string, number, Partial<Status>]>([
    ['all rows have ended', 40, {}],
    ['it stops after failures', 30, { reason: 'stopped after 3 failed rows' }],
  ])('is unknown if %s', async (_words, completed, changes) => {
    expect(await expectedOf('steady', completed, changes)).toBeNull();
  });

  it('is unknown while it is paused', async () => {
    await store.holds.pause('steady', 'by hand');
    expect(await expectedOf('steady', 30)).toBeNull();
  });
});

type Status = NonNullable<LiveBatch['status']>;
