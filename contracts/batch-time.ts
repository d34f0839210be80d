import type { ReadyByRule, ReadyByStatus } from './ready-by';

/** The words in which a batch speaks of the time by which it is to be ready. docs/decisions/0022-ready-by.md has the reasons. */

/** How many rows there are of each model. */
export type RowsByModel = Readonly<Record<string, number>>;

/** By when a batch is to be ready. */
export interface BatchReadyBy {
  readonly rule: ReadyByRule;
  /** Whether its file says how rows that make video are rendered when time runs short. */
  readonly hasFallback: boolean;
}

/** The same with the instant of a run, ISO 8601. */
export interface TimedReadyBy extends BatchReadyBy {
  readonly at: string;
}

/** What a batch knows of its time. */
export interface CarriedReadyBy {
  /** Single tasks of this run that were begun. */
  readonly begun: RowsByModel;
  /** How long tasks of each model usually take at the longest, in milliseconds. */
  readonly slow: Readonly<Record<string, number>>;
  /** When the last moment came, ISO 8601; null where it has not. */
  readonly fellBackAt: string | null;
  /** Rows of this run that were rendered by the fallback. */
  readonly byFallback: number;
  readonly pace: RowPace;
}

/** How fast rows of a run end, by blocks of as many as are under way at once. */
export interface RowPace {
  /** Where the present block began: rows that had ended, and when. Null before the first has ended. */
  readonly since: { readonly ended: number; readonly atMs: number } | null;
  /** A row's share of the time that each of the last two whole blocks took. */
  readonly rowMs: readonly number[];
}

/** Where a batch stands against the time by which it is to be ready. */
export interface BatchReadyByStatus extends Omit<ReadyByStatus, 'fallback'> {
  /** How many rows were rendered by the fallback, whole or in part. */
  readonly fallback: number;
}
