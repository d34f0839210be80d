import type { ReadyByRule, ReadyByStatus } from '../file/ready-by';

/** State and status of a batch's `readyBy`. See docs/decisions/0022-ready-by.md. */

export type RowsByModel = Readonly<Record<string, number>>;

/** The time by which a batch is to be ready. */
export interface BatchReadyBy {
  readonly rule: ReadyByRule;
  /** Whether the file has a fallback for rows that make video. */
  readonly hasFallback: boolean;
}

/** `BatchReadyBy` with the instant that applies to a run, ISO 8601. */
export interface TimedReadyBy extends BatchReadyBy {
  readonly at: string;
}

/** State that a batch's workflow keeps about its `readyBy`. */
export interface CarriedReadyBy {
  /** Number of single tasks that this run has started, by model. */
  readonly begun: RowsByModel;
  /** Time within which nine of ten tasks ended, by model, in milliseconds. */
  readonly slow: Readonly<Record<string, number>>;
  /** When the batch switched to the fallback, ISO 8601; null before that. */
  readonly fellBackAt: string | null;
  /** Number of completed rows of this run that used the fallback. */
  readonly byFallback: number;
  readonly pace: RowPace;
}

/**
 * How fast a run's rows end, measured in blocks of ended rows. A block is complete when it has as many rows as may run
 * at once, but at least three.
 */
export interface RowPace {
  /** Start of the present block: number of ended rows, and the time. Null before the first row has ended. */
  readonly since: { readonly ended: number; readonly atMs: number } | null;
  /** Time per row in each of the last two complete blocks. */
  readonly rowMs: readonly number[];
}

/** A batch's progress towards its `readyBy`. `lastMoment` is when rows switch, or have switched, to the fallback. */
export interface BatchReadyByStatus extends Omit<ReadyByStatus, 'fallback'> {
  /** Number of completed rows that used the fallback, entirely or for some shots. */
  readonly fallback: number;
}
