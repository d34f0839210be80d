import type { RowPace, RowsByModel } from '../../contracts/render/batch-time';
import type { SlowTimes } from '../deadline/ready-by-rules';

/** Computes the time that a batch still needs. Pure, so that it can be tested without a server. */

/** Smallest block of ended rows that shows a pace, even if fewer rows run at once. */
const LEAST_BLOCK = 3;

/** The present state that the remaining time of a batch depends on. */
export interface BatchRemaining {
  /** Number of the run's rows that are single tasks, by model. */
  readonly open: RowsByModel;
  /** Number of the started tasks among `open`. */
  readonly begun: RowsByModel;
  /** Number of rows of the run that have neither ended nor parked. */
  readonly left: number;
  readonly parallel: number;
  readonly slow: SlowTimes;
  readonly pace: RowPace;
}

export const NO_PACE: RowPace = { since: null, rowMs: [] };

/**
 * Returns the longest of three times, in milliseconds: one task of the slowest model; all unstarted tasks, divided by
 * `parallel`; all unfinished rows at the run's pace.
 *
 * The first two times leave out models whose usual time is unknown. Null if no model's usual time is known.
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

/**
 * Returns the pace after `ended` rows have ended.
 *
 * Rows that start together end together, so only a block of as many rows as run at once shows the pace.
 */
export function paceAfter(pace: RowPace, { ended, atMs }: NonNullable<RowPace['since']>, parallel: number): RowPace {
  const { since, rowMs } = pace;
  if (since === null) return ended === 0 ? pace : { since: { ended, atMs }, rowMs };
  const rows = ended - since.ended;
  if (rows < Math.max(parallel, LEAST_BLOCK)) return pace;
  return { since: { ended, atMs }, rowMs: [...rowMs.slice(-1), (atMs - since.atMs) / rows] };
}

/**
 * Time per row in the quicker of the last two blocks, since a block may include a pause or a night without workers.
 * Null before there are two blocks.
 */
function rowMsOf({ rowMs }: RowPace): number | null {
  return rowMs.length < 2 ? null : Math.min(...rowMs);
}
