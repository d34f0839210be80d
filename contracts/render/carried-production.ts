import type { Wait, WaitType } from '../notice';
import type { ShotStatus } from '../status';

/** State that a production hands to its next history. Its shots keep running meanwhile. */
export interface CarriedProduction {
  /** ISO 8601. */
  readonly startedAt: string;
  /** The plan's shots, and shots that have left the plan but are under way. */
  readonly shots: readonly CarriedShot[];
  readonly isCancelled: boolean;
  /** `credits` is null if the limit was removed. Absent if the production began without a budget. */
  readonly budget?: {
    readonly credits: number | null;
    /** Shots that a run before a reset started, and that may hold part of the budget. */
    readonly older: readonly string[];
  };
  readonly readyBy: CarriedReadyBy;
  readonly waits: CarriedWaits;
  readonly row: CarriedRow | null;
}

export interface CarriedShot extends Omit<ShotStatus, 'earlier'> {
  /** Charges by take number, for takes that are no longer kept. */
  readonly earlier: readonly (readonly [take: number, credits: number | null])[];
  /**
   * The child workflow that runs the shot. `id` is null while a run from before a reset has to end first. `isWanted` is
   * false if the plan has a newer version of the shot, or lacks the shot.
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
  /** Runs that were asked to end if they have sent nothing, so that the fallback can replace them. */
  readonly asked: readonly string[];
  /** By shot: the digest for which the fallback was decided, and when it was applied; null if it was not applied. */
  readonly settled: readonly { readonly shot: string; readonly digest: string; readonly takenAt: string | null }[];
}

/** Which waits were reported to the file's `notify` receiver, and when. Times are in milliseconds. */
export interface CarriedWaits {
  readonly noted: readonly NotedWait[];
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

/** The requests of batches to a row, and the row's reports. */
export interface CarriedRow {
  /** Workflow id of the batch that has to get the row's end; null if the batch sees the end. */
  readonly asked: string | null;
  /** The batch's run (`renderId`) that asked last; at first, the run that started the row. */
  readonly lastRun: string;
  /** Number of messages to the batch. */
  readonly told: number;
}
