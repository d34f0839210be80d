import type { TaskInput, TakeOutput } from './activities';
import type { AssetRef } from './asset';
import type { ReservationNews } from './money/budget';
import type { CarriedProduction } from './render/carried-production';
import type { OnFailure, OnUnclear, ParkedFor, ParkedTake } from './render/decision';
import type { Review } from './render/directing';
import type { ProductionState, ShotState } from './states';
import type { OutputKind } from './gateway/models';
import type { ProductionPlan, SendingMode } from './render/plan';
import type { RenderBasis } from './render/render-basis';
import type { TakeProgress } from './render/take';

export interface ProductionInput {
  readonly productionId: string;
  readonly storeId: string;
  readonly production: AssetRef;
  readonly plan: ProductionPlan;
  readonly basis: RenderBasis;
  /**
   * Names this render. A failed shot is paid for again only in another render, after a person's decision, or as often
   * as `retryFailed` says.
   */
  readonly renderId: string;
  readonly searchable: Searchable;
  /** Id of a workflow to signal when only people can continue the production. */
  readonly watcher?: string;
  /** Present if the production is a row of a batch. */
  readonly row?: RowOf;
  /** State of the previous history, if the production continued as new. */
  readonly carried?: CarriedProduction;
}

/** Another version of a running production. */
export interface Revision {
  readonly productionId: string;
  readonly production: AssetRef;
  readonly plan: ProductionPlan;
  readonly basis: RenderBasis;
  /** The only version (`versionOf`) that the revision may replace. Absent if it may replace any version. */
  readonly replaces?: string;
  /**
   * Unchanged shots to run again, for example because another take was chosen. Shots that link to them, directly or
   * not, run again too.
   */
  readonly again: readonly string[];
}

export interface Approval {
  /** Null for the chosen take. */
  readonly take: number | null;
}

/** One task of any model: a generation, or one of a shot's takes. */
export interface GenerateInput {
  readonly task: TaskInput;
  readonly model: string;
  readonly output: OutputKind;
  /** See `PlannedShot.mode`. */
  readonly mode: SendingMode;
  readonly deadlineSeconds: number;
  readonly onUnclear: OnUnclear;
  readonly retryFailed: number;
  readonly onFailure: OnFailure;
  readonly searchable: Searchable;
  /** Present if the task is a row of a batch. */
  readonly row?: RowOf;
  /** Present if the row may use a fallback when its batch's time runs short. */
  readonly fallback?: TaskFallback;
}

/** How a task is rendered when time runs short: as the shot of the same id in the given frozen production. */
export interface TaskFallback extends Pick<GenerateInput, 'model' | 'mode' | 'deadlineSeconds'> {
  readonly production: AssetRef;
  readonly isDue: boolean;
}

/** A row's identity in its batch, and the batch that it reports to. */
export interface RowOf {
  readonly key: string;
  /** Workflow id of the batch. */
  readonly batch: string;
  /** The batch's id. Its rows take turns with other productions as one group. */
  readonly batchId: string;
  /** Digest of the row's request. */
  readonly digest: string;
  /** The run of the batch that started the row. */
  readonly renderId: string;
}

/** One shot of a production. `task` is the first of the takes that are made side by side. */
export interface ShotInput extends GenerateInput {
  readonly takes: number;
  readonly review: Review | null;
  readonly directed: boolean;
}

type EndOfTake = Extract<ShotState, 'completed' | 'failed' | 'skipped' | 'cancelled'>;

/** How a take ended. `output` is null if the take did not complete. */
export interface TakeOutcome {
  readonly state: EndOfTake;
  readonly reason: string | null;
  readonly take: TakeProgress | null;
  readonly output: TakeOutput | null;
  /** Present if the take used its batch's fallback. */
  readonly fallback?: true;
  /** Present if the take's paid task was left without a decision. The output may still be collected. */
  readonly isLeft?: true;
}

export interface ShotOutcome {
  readonly state: EndOfTake;
  /** Why the shot did not complete. If it completed: the paid takes whose output was not collected, or null. */
  readonly reason: string | null;
  readonly takes: readonly TakeProgress[];
  readonly filmTake: number | null;
  /** Present if the shot ended before it sent anything, so that the fallback can replace it. */
  readonly stoodDown?: true;
}

export interface Parked {
  readonly for: ParkedFor;
  readonly reason: string;
  readonly take: TakeProgress;
}

/** Progress that a shot reports to its production. */
export interface ShotProgress {
  readonly shotId: string;
  /** The run of the shot's workflow. News of another run may be about a version that is no longer wanted. */
  readonly runId: string;
  readonly state: Extract<ShotState, 'rendering' | 'parked' | 'review'>;
  readonly reason: string | null;
  /** Why the shot is parked: of several reasons, the one to answer first. Null if the shot is not parked. */
  readonly parkedFor: ParkedFor | null;
  /** The shot's parked takes. Present if a person's decision must name one of them. */
  readonly parkedTakes?: readonly ParkedTake[];
  /** Whether one of the shot's takes continues by itself when the budget allows it. Absent in older versions. */
  readonly waitsForBudget?: boolean;
  readonly takesUnderWay: number;
  /** The completed takes, one of which can be approved. Absent if the shot is not in review, and in older versions. */
  readonly reviewTakes?: readonly number[];
  /** Numbers of the accepted takes whose end the shot awaits. */
  readonly awaited: readonly number[];
  /** Takes that have changed since the last report; all takes in a full report. */
  readonly takes: readonly TakeProgress[];
  /** The chosen take. Shots that link to it may start, unless the take waits for an approval. */
  readonly filmTake: number | null;
  /** The budget that the shot has requested or holds. Present in a full report if the production has a budget. */
  readonly reservations?: readonly Omit<ReservationNews, 'runId'>[];
  /** Present in the last report if the production cannot await the shot's result (after a reset or continue-as-new). */
  readonly ended?: ShotOutcome;
}

/**
 * Search attributes, all of type Keyword. Workflows of shots have all three. Rows that are single tasks get `shotState`
 * only when they park. Other single tasks have only `shotState`. All other workflows have none. The worker registers
 * missing attributes.
 */
export const SEARCH_ATTRIBUTES = {
  production: 'DailiesProduction',
  shotState: 'DailiesShotState',
  model: 'DailiesModel',
} as const;

/**
 * Whether the Temporal server had all `SEARCH_ATTRIBUTES` when the run was started. Running productions, batches and
 * schedules keep this answer. If a later version adds an attribute, `true` does not cover it: add another value then.
 */
export type Searchable = boolean;

export type EndState = Exclude<ProductionState, 'running'>;
