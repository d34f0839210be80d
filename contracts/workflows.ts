import type { TaskInput, TakeOutput } from './activities';
import type { AssetRef } from './asset';
import type { OnUnclear, ParkedFor } from './decision';
import type { ProductionState, ShotState } from './manifest';
import type { OutputKind } from './models';
import type { ProductionPlan } from './plan';
import type { TakeProgress } from './take';

/** Names under which workflows are registered; clients start them by these. */
export const WORKFLOWS = {
  production: 'production',
  shot: 'shot',
  generate: 'generate',
  assemble: 'assemble',
} as const;

export interface ProductionInput {
  readonly productionId: string;
  readonly storeId: string;
  readonly production: AssetRef;
  readonly plan: ProductionPlan;
  /** Names this render; a take that failed is paid for again only in another render. */
  readonly renderId: string;
  /** Whether the server knows our search attributes. */
  readonly searchable: boolean;
}

/** Another version of a running production. */
export interface Revision {
  readonly production: AssetRef;
  readonly plan: ProductionPlan;
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

/** One task of any model, as a shot of a production or by itself. */
export interface ShotInput {
  readonly task: TaskInput;
  readonly model: string;
  readonly output: OutputKind;
  /** `execute` only for models known to need well under its limit. */
  readonly mode: 'submit' | 'execute';
  readonly deadlineSeconds: number;
  readonly onUnclear: OnUnclear;
  readonly retryFailed: number;
  readonly searchable: boolean;
}

/** How a shot ended. `output` is present where it completed. */
export interface ShotOutcome {
  readonly state: Extract<ShotState, 'completed' | 'failed' | 'skipped' | 'cancelled'>;
  readonly reason: string | null;
  readonly take: TakeProgress | null;
  readonly output: TakeOutput | null;
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
  readonly take: TakeProgress;
  /** Null where it renders. */
  readonly parked: Parked | null;
}

/** Search attributes, all of type Keyword; registered by the worker where they are missing. */
export const SEARCH_ATTRIBUTES = {
  production: 'DailiesProduction',
  shotState: 'DailiesShotState',
  model: 'DailiesModel',
} as const;

export type EndState = Exclude<ProductionState, 'running'>;
