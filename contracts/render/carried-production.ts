import type { Wait, WaitType } from '../notice';
import type { ShotStatus } from '../status';

/** State that a production passes on when it continues as new. Its shots keep running. */
export interface CarriedProduction {
  /** ISO 8601. */
  readonly startedAt: string;
  /** The plan's shots, and shots that are no longer in the plan but still under way. */
  readonly shots: readonly CarriedShot[];
  readonly isCancelled: boolean;
  /** Absent if the production began without a budget. `credits` is null if the limit was removed later. */
  readonly budget?: {
    readonly credits: number | null;
    /** Shots whose runs were started before a reset. These runs may hold part of the budget. */
    readonly older: readonly string[];
  };
  readonly readyBy: CarriedReadyBy;
  readonly waits: CarriedWaits;
  readonly row: CarriedRow | null;
}

export interface CarriedShot extends Omit<ShotStatus, 'earlier'> {
  /** Charges by take number, for takes that `takes` leaves out. */
  readonly earlier: readonly (readonly [take: number, credits: number | null])[];
  /**
   * The child workflow that runs the shot. `id` is null while an older run, for example from before a reset, has to end
   * first. `isWanted` is false if the plan has a newer version of the shot, or lacks the shot.
   */
  readonly run: { readonly id: string | null; readonly isWanted: boolean; readonly waitsForBudget: boolean } | null;
}

export interface CarriedReadyBy {
  /** Shots under way, with the numbers of the takes that each had when it started. */
  readonly started: readonly {
    readonly shot: string;
    readonly takes: readonly number[];
    readonly runId: string | null;
  }[];
  /** Runs that were asked to give way to the fallback. A run obeys only if it has sent nothing. */
  readonly asked: readonly string[];
  /**
   * Decisions whether a shot uses its fallback. `digest` identifies the version of the shot after the decision.
   * `takenAt` is when the fallback was applied; null if the shot is rendered as written.
   */
  readonly settled: readonly { readonly shot: string; readonly digest: string; readonly takenAt: string | null }[];
}

/** Waits of shots, and which of them were reported to the file's `notify` receiver. Times are in milliseconds. */
export interface CarriedWaits {
  readonly noted: readonly NotedWait[];
  /** Number of waits, by shot, take and reason. */
  readonly counts: readonly (readonly [name: string, count: number])[];
  readonly paces: readonly (readonly [type: WaitType, pace: WaitPace])[];
}

export interface NotedWait {
  readonly key: string;
  readonly wait: Wait;
  readonly what: string;
  readonly seenMs: number;
  readonly isTold: boolean;
}

export interface WaitPace {
  readonly toldMs: number;
  readonly gapMs: number;
}

/** The state of a row's reports to its batch. */
export interface CarriedRow {
  /** Workflow id of the batch that asked for a report of the row's end; null if the batch sees the end by itself. */
  readonly asked: string | null;
  /** `renderId` of the batch run that asked last; at first, of the batch run that started the row. */
  readonly lastRun: string;
  /** Number of reports to the batch. */
  readonly told: number;
  /**
   * Absent unless the row is parked. `fresh`: it was parked after the batch's run first asked, or that run started it.
   * `before`: it was already parked when that run first asked.
   */
  readonly park?: 'fresh' | 'before';
}
