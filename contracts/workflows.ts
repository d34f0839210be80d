import type { TaskInput, TakeOutput } from './activities';
import type { AssetRef } from './asset';
import type { ReservationNews } from './budget';
import type { CarriedProduction } from './carried-production';
import type { OnFailure, OnUnclear, ParkedFor } from './decision';
import type { Review } from './directing';
import type { ProductionState, ShotState } from './manifest';
import type { OutputKind } from './models';
import type { ProductionPlan, SendingMode } from './plan';
import type { RenderBasis } from './render-basis';
import type { TakeProgress } from './take';

/** Names under which workflows are registered; clients start them by these. */
export const WORKFLOWS = {
  production: 'production',
  shot: 'shot',
  generate: 'generate',
  assemble: 'assemble',
  arbiter: 'arbiter',
  scheduledRun: 'scheduledRun',
  notice: 'notice',
  batch: 'batch',
  latestTake: 'latestTake',
} as const;

export interface ProductionInput {
  readonly productionId: string;
  readonly storeId: string;
  readonly production: AssetRef;
  readonly plan: ProductionPlan;
  readonly basis: RenderBasis;
  /** Names this render; a take that failed is paid for again only in another render. */
  readonly renderId: string;
  /** Whether the server knows our search attributes. */
  readonly searchable: boolean;
  /** Id of the workflow that is told once only people can go on. Absent: nobody is told. */
  readonly watcher?: string;
  /** Present where it is a row of a batch: that row, and the batch's workflow. */
  readonly row?: RowOf;
  /** Present where an earlier history of it has become too long. */
  readonly carried?: CarriedProduction;
}

/** Another version of a running production. */
export interface Revision {
  readonly productionId: string;
  readonly production: AssetRef;
  readonly plan: ProductionPlan;
  readonly basis: RenderBasis;
  /** The version that it was worked out from (`versionOf`): no other is replaced by it. Absent: whichever runs. */
  readonly replaces?: string;
  /**
   * Shots to look at again although nothing in them has changed, as after another choice. What starts on their frames
   * is looked at again with them.
   */
  readonly again: readonly string[];
}

/** An approval is of one take. */
export interface Approval {
  /** Null for the take that stands. */
  readonly take: number | null;
}

/** One task of any model: by itself, or as one of a shot's takes. */
export interface GenerateInput {
  readonly task: TaskInput;
  readonly model: string;
  readonly output: OutputKind;
  /** `execute` only for models known to need well under its limit. */
  readonly mode: SendingMode;
  readonly deadlineSeconds: number;
  readonly onUnclear: OnUnclear;
  readonly retryFailed: number;
  readonly onFailure: OnFailure;
  readonly searchable: boolean;
  /** Present where it is a row of a batch. */
  readonly row?: RowOf;
  /** Present where it may be rendered otherwise when its batch's time runs short. */
  readonly fallback?: TaskFallback;
}

/** How a task is rendered when time runs short: it is the shot of the same id in another frozen production. */
export interface TaskFallback extends Pick<GenerateInput, 'model' | 'mode' | 'deadlineSeconds'> {
  readonly production: AssetRef;
  /** Whether the last moment has come already. */
  readonly isDue: boolean;
}

/** Whom a row of a batch tells where it stands. */
export interface RowOf {
  readonly key: string;
  /** Workflow id of the batch. */
  readonly batch: string;
  /** The batch itself, whose rows take turns with other productions as one. */
  readonly batchId: string;
  /** Names what the row asks for. */
  readonly digest: string;
  /** The run of the batch that began it. */
  readonly renderId: string;
}

/** One shot of a production. Its task is the first of the takes side by side. */
export interface ShotInput extends GenerateInput {
  readonly takes: number;
  readonly review: Review | null;
  readonly directed: boolean;
}

type EndOfTake = Extract<ShotState, 'completed' | 'failed' | 'skipped' | 'cancelled'>;

/** How one of a shot's takes ended. `output` is present where it completed. */
export interface TakeOutcome {
  readonly state: EndOfTake;
  readonly reason: string | null;
  readonly take: TakeProgress | null;
  readonly output: TakeOutput | null;
  /** Present where it went by its batch's fallback. */
  readonly fallback?: true;
  /** Present where nobody is asked about its task, which is paid for and may yet be collected. */
  readonly isLeft?: true;
}

/** How a shot ended. */
export interface ShotOutcome {
  readonly state: EndOfTake;
  /** Where it completed, what of its takes is paid for and was left. */
  readonly reason: string | null;
  readonly takes: readonly TakeProgress[];
  /** Present where it completed. */
  readonly filmTake: number | null;
  /** Present where nothing of it was sent, and it has made room for another version of itself. */
  readonly stoodDown?: true;
}

/** A shot that waits for a person. */
export interface Parked {
  readonly for: ParkedFor;
  readonly reason: string;
  readonly take: TakeProgress;
}

/** What a shot tells its production on the way. */
export interface ShotProgress {
  readonly shotId: string;
  /** The run that tells it: what another one tells may be about what is not wanted any more. */
  readonly runId: string;
  readonly state: Extract<ShotState, 'rendering' | 'parked' | 'review'>;
  readonly reason: string | null;
  /** What a person has to answer, where its takes are parked for several things. */
  readonly parkedFor: ParkedFor | null;
  /** Whether one of its takes goes on by itself once the budget allows it. Absent where an older shot tells. */
  readonly waitsForBudget?: boolean;
  readonly takesUnderWay: number;
  /** Those whose tasks it waits for, by number. */
  readonly awaited: readonly number[];
  /** Those of which there is news. */
  readonly takes: readonly TakeProgress[];
  /** The chosen one. Unless it waits for an approval, what starts on its frames may start. */
  readonly filmTake: number | null;
  /** What it has asked for and what it holds, where it was asked where it stands and has a budget. */
  readonly reservations?: readonly Omit<ReservationNews, 'runId'>[];
  /** Present in the last words of a shot whose production cannot see its end: it was reset, or has another history. */
  readonly ended?: ShotOutcome;
}

/** Search attributes, all of type Keyword; registered by the worker where they are missing. */
export const SEARCH_ATTRIBUTES = {
  production: 'DailiesProduction',
  shotState: 'DailiesShotState',
  model: 'DailiesModel',
} as const;

export type EndState = Exclude<ProductionState, 'running'>;
