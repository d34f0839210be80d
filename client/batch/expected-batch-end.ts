import { type BatchStatus } from '../../contracts/render/batch';
import { type ManifestExpected } from '../../contracts/manifest';
import { type BegunBatch, fewAtOnce, readBatchIndex, type Store, type StoreView } from '../../store';
import { expectedAfter, recentTimes } from '../plan/expected-end';
import { timeToGo, type TimeToGo } from '../plan/time-to-go';

/**
 * Minimum number of rows in a block. A block is a group of rows that ended one after another. The pace (time per row)
 * is measured by block, because the times of single rows differ too much.
 */
const LEAST_BLOCK = 3;

/**
 * Maximum number of blocks over which the pace is measured. With three or four blocks, the median pace stays usable if
 * one block contains a night without workers.
 */
const BLOCKS = 4;

/**
 * The batch is stalled if its last row ended longer ago than this multiple of the slowest block's duration. Then there
 * is no estimate.
 */
const STALLED_BLOCKS = 2;

/**
 * Number of result pages that are read at a time, until two blocks of rows are found. A page has rows that ended within
 * about two seconds.
 */
const PAGES_READ = 100;

/**
 * Maximum number of simulated rows, apart from rounding. For more rows, a sample with the same share of each model is
 * simulated, and the result is scaled. So an estimate for 100,000 rows takes less than a second.
 */
const SIMULATED_ROWS = 1_000;

/**
 * Estimates when a running batch ends. Uses the pace of the rows that ended last or, until enough rows have ended, the
 * usual times of the models. Rows that wait for a person are left out.
 *
 * @param status undefined if the batch is not running or does not answer.
 * @returns null in these cases:
 * - `status` is undefined, or says that no further rows are started
 * - the batch is paused or interrupted
 * - no rows are left
 * - no row has ended for far longer than usual
 * - the pace is unknown, and the usual time of at least one row is unknown too
 */
export async function expectedBatchEnd(
  store: Store,
  begun: BegunBatch,
  status: BatchStatus | undefined,
  nowMs = Date.now(),
): Promise<ManifestExpected | null> {
  if (status === undefined || status.reason !== null) return null;
  const { batch: batchId, counts } = status;
  const left = rowsLeft(status);
  if (left <= 0 || (await store.holds.inForce(batchId)) !== undefined) return null;
  const block = Math.max(begun.parallel, LEAST_BLOCK);
  const endedMs = await recentEndsMs(store, batchId, begun.run, block);
  const pace = paceOf(endedMs, block);
  const sinceLastMs = nowMs - (endedMs.at(-1) ?? nowMs);
  if (pace !== null && sinceLastMs > STALLED_BLOCKS * block * pace.highMs) return null;
  const remaining = pace === null ? await timeByUsualTimes(store, begun, status, nowMs) : timeByPace(pace, left, block);
  if (remaining === null) return null;
  return expectedAfter(remaining, { nowMs, waitsThen: counts.parked > 0 });
}

/** Number of rows that are neither ended nor parked. */
function rowsLeft({ open, counts }: BatchStatus): number {
  return open - endedOrParkedRows(counts);
}

function endedOrParkedRows(counts: BatchStatus['counts']): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/**
 * The time per row in the quickest, the median and the slowest of the last blocks. Null if there are fewer than two
 * blocks.
 *
 * @param endedMs times at which rows ended, ascending, in milliseconds.
 * @param block number of rows in a block. At least the number that run at once, because such rows may end together.
 */
export function paceOf(endedMs: readonly number[], block: number): TimeToGo | null {
  const rowMs: number[] = [];
  for (let to = endedMs.length - 1; to >= block && rowMs.length < BLOCKS; to -= block) {
    rowMs.push(((endedMs[to] ?? 0) - (endedMs[to - block] ?? 0)) / block);
  }
  if (rowMs.length < 2) return null;
  const sorted = rowMs.toSorted((a, b) => a - b);
  return {
    lowMs: sorted[0] ?? 0,
    medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
    highMs: sorted.at(-1) ?? 0,
  };
}

/**
 * The time for `left` rows at a pace. A row that has just begun may take as long as a block, so `highMs` covers at
 * least one block.
 */
export function timeByPace({ lowMs, medianMs, highMs }: TimeToGo, left: number, block: number): TimeToGo {
  return { lowMs: left * lowMs, medianMs: left * medianMs, highMs: Math.max(left, block) * highMs };
}

/**
 * Estimates the time for `left` rows from the usual times of their models. Null if rows are productions, if the index
 * does not count rows by model, or if a model has no usual time.
 */
async function timeByUsualTimes(
  store: Store,
  { index, account, parallel }: BegunBatch,
  status: BatchStatus,
  nowMs: number,
): Promise<TimeToGo | null> {
  const left = rowsLeft(status);
  const underWay = status.underWay.length;
  const { openByModel = {}, open } = await readBatchIndex(store.assets, index);
  const models = Object.entries(openByModel);
  if (models.reduce((sum, [, count]) => sum + count, 0) !== open) return null;
  const { usualTimes, limits } = store.account(account);
  const scale = Math.max(1, left / SIMULATED_ROWS);
  const shots = models.flatMap(([model, count]) =>
    Array.from({ length: Math.ceil(((count / open) * left) / scale) }, () => model),
  );
  // If at most `parallel` rows have begun, all of them began with the batch.
  const haveBegunTogether = underWay + endedOrParkedRows(status.counts) <= parallel;
  const ageMs = haveBegunTogether ? Math.max(0, nowMs - Date.parse(status.startedAt)) : 0;
  const remaining = timeToGo({
    shots: shots.map((model, at) => ({ id: String(at), model, after: [], tasks: [at < underWay ? ageMs : null] })),
    maxInFlight: parallel,
    limits: await limits.read(),
    recentMs: await recentTimes(usualTimes, Object.keys(openByModel)),
  });
  if (remaining === null) return null;
  const { lowMs, medianMs, highMs } = remaining;
  return { lowMs: lowMs * scale, medianMs: medianMs * scale, highMs: highMs * scale };
}

/**
 * The times at which the last rows of a run ended or parked, ascending. At least those of two blocks, if there are so
 * many, and at most those of `BLOCKS` blocks. A row that parked and ended later counts once.
 */
async function recentEndsMs(
  { batches }: Pick<StoreView, 'batches'>,
  batchId: string,
  run: number,
  block: number,
): Promise<readonly number[]> {
  const [needed, most] = [2 * block + 1, BLOCKS * block + 1];
  const firstMs = new Map<string, number>();
  const last = await lastPageNumber(batches, batchId, run);
  // Limit the number of pages too, because pages may have only rows that are already in `firstMs`.
  for (let read = 0; read < Math.min(last, most) && firstMs.size < needed; read += PAGES_READ) {
    const pages = Array.from({ length: Math.min(last - read, PAGES_READ) }, (_, index) => last - read - index);
    const ends = await fewAtOnce(pages, async (page) => (await batches.results(batchId, run, page)) ?? []);
    for (const { key, at } of ends.flat()) {
      firstMs.set(key, Math.min(Date.parse(at), firstMs.get(key) ?? Infinity));
    }
  }
  return [...firstMs.values()].toSorted((a, b) => a - b).slice(-most);
}

/** Finds the last page of results by doubling, then by bisection. Page numbers have no gaps. */
async function lastPageNumber(batches: StoreView['batches'], batchId: string, run: number): Promise<number> {
  const has = async (page: number): Promise<boolean> => (await batches.results(batchId, run, page)) !== undefined;
  let [known, missing] = [0, 1];
  while (await has(missing)) [known, missing] = [missing, missing * 2];
  while (missing - known > 1) {
    const middle = Math.floor((known + missing) / 2);
    if (await has(middle)) known = middle;
    else missing = middle;
  }
  return known;
}
