import type { RowPace, RowsByModel } from '../../contracts/batch-time';
import { marginMs, type SlowTimes, URGENT_FACTOR } from '../deadline/time-left';

/** How long a batch still needs: pure, so that it is tested without a server. */

/** Fewer ends tell nothing of a pace, however few rows are under way at once. */
const LEAST_BLOCK = 3;

/** A batch in this moment, as far as its time goes. */
export interface BatchRemaining {
  /** The single tasks of the run, by model. */
  readonly open: RowsByModel;
  /** Those of them that were begun. */
  readonly begun: RowsByModel;
  /** Rows of the run that have not ended, and wait for nobody. */
  readonly left: number;
  readonly parallel: number;
  readonly slow: SlowTimes;
  readonly pace: RowPace;
}

export const NO_PACE: RowPace = { since: null, rowMs: [] };

/**
 * What is left by usual times, or by the run's own pace where that is slower: the slowest task, what the rows that were
 * not begun take together, as many at once as the batch allows, or what all rows take that have not ended, at the pace
 * at which rows end. Null where nobody knows how long tasks of any of its models take.
 */
export function batchLeftMs({ open, begun, left, parallel, slow, pace }: BatchRemaining): number | null {
  const known = Object.entries(open).flatMap(([model, count]) => {
    const slowMs = slow[model];
    return slowMs === undefined ? [] : [{ slowMs, unbegun: Math.max(0, count - (begun[model] ?? 0)) }];
  });
  if (known.length === 0) return null;
  const slowest = Math.max(...known.map(({ slowMs }) => slowMs));
  const queue = known.reduce((ms, { slowMs, unbegun }) => ms + slowMs * unbegun, 0) / parallel;
  return Math.max(slowest, queue, left * (rowMsOf(pace) ?? 0));
}

/** Until when rows can be begun as they are, if all is to be ready in time. */
export function lastMomentMs(readyAtMs: number, leftMs: number): number {
  return readyAtMs - leftMs - marginMs(leftMs);
}

export function urgentAtMs(readyAtMs: number, leftMs: number): number {
  return readyAtMs - URGENT_FACTOR * leftMs;
}

/** The models of which nobody knows how long their tasks take. */
export function untimedModels({ open, slow }: Pick<BatchRemaining, 'open' | 'slow'>): readonly string[] {
  return Object.keys(open).filter((model) => slow[model] === undefined);
}

/**
 * The pace after so many rows have ended.
 *
 * Rows that were begun together end together: only a block of as many as are under way at once tells how fast they go.
 */
export function paceAfter(pace: RowPace, { ended, atMs }: NonNullable<RowPace['since']>, parallel: number): RowPace {
  const { since, rowMs } = pace;
  if (since === null) return ended === 0 ? pace : { since: { ended, atMs }, rowMs };
  const rows = ended - since.ended;
  if (rows < Math.max(parallel, LEAST_BLOCK)) return pace;
  return { since: { ended, atMs }, rowMs: [...rowMs.slice(-1), (atMs - since.atMs) / rows] };
}

/** The quicker of two blocks: one may have a pause in it, or a night without workers. Null before there are two. */
function rowMsOf({ rowMs }: RowPace): number | null {
  return rowMs.length < 2 ? null : Math.min(...rowMs);
}
