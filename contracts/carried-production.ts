import type { Wait, WaitType } from './notice';
import type { ShotStatus } from './status';

/** What a production takes along from one history to the next. Its shots go on meanwhile. */
export interface CarriedProduction {
  /** ISO 8601. */
  readonly startedAt: string;
  /** Those of the plan, and those that have left it and are under way. */
  readonly shots: readonly CarriedShot[];
  readonly isCancelled: boolean;
  /** Null if nothing bounds it any more. Absent where it began without a budget. */
  readonly budget?: {
    readonly credits: number | null;
    /** Shots that a run before a reset has begun, and that may hold some of it. */
    readonly older: readonly string[];
  };
  readonly readyBy: CarriedReadyBy;
  readonly waits: CarriedWaits;
  readonly row: CarriedRow | null;
}

export interface CarriedShot extends Omit<ShotStatus, 'earlier'> {
  /** By number, what takes were charged that are not kept any more. */
  readonly earlier: readonly (readonly [take: number, credits: number | null])[];
  /** Of its child workflow; `id` null where an older run is left to end first. */
  readonly run: { readonly id: string | null; readonly isWanted: boolean; readonly waitsForBudget: boolean } | null;
}

export interface CarriedReadyBy {
  /** The shots under way, with the numbers of the takes that each had when it was started. */
  readonly started: readonly {
    readonly shot: string;
    readonly takes: readonly number[];
    readonly runId: string | null;
  }[];
  /** Runs that were asked to stand down. */
  readonly asked: readonly string[];
  /** By shot, the digest for which the fallback was looked at, and when it was taken. */
  readonly settled: readonly { readonly shot: string; readonly digest: string; readonly takenAt: string | null }[];
}

/** Which waits were told to those that the file names, and when. Times are in milliseconds. */
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

/** What a batch has asked its row, and was told. */
export interface CarriedRow {
  readonly asked: string | null;
  readonly lastRun: string;
  readonly told: number;
}
