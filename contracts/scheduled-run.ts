import type { AssetRef } from './asset';
import type { BatchInput, BatchRules } from './batch';
import type { FrozenProduction } from './frozen';
import type { ProductionPlan } from './plan';
import type { RunEnd } from './run-end';
import type { ProductionInput } from './workflows';

/** The words in which schedules and their runs speak. A run is what a schedule starts at one of its times. */

/** Who wanted a run: the schedule, also by a backfill, or a person by a trigger. */
export type RunBy = 'schedule' | 'hand';

/** What a schedule was made of, frozen into the store with its variables in. */
export type ScheduleTemplate = ProductionTemplate | BatchTemplate;

export interface ProductionTemplate {
  readonly version: 1;
  readonly kind: 'production';
  readonly production: FrozenProduction;
  readonly plan: ProductionPlan;
}

export interface BatchTemplate {
  readonly version: 1;
  readonly kind: 'batch';
  /** Its rows, in pages as of any batch. */
  readonly index: AssetRef;
  readonly rules: BatchRules;
}

/** Input of the workflow that a schedule starts. */
export interface ScheduledRunInput {
  readonly schedule: string;
  readonly storeId: string;
  /** The account that pays. */
  readonly account: string;
  /** Which of the schedule's versions in the store this is. */
  readonly version: number;
  readonly template: AssetRef;
  /** IANA name; dates are written in it. */
  readonly timezone: string;
  /** Whether the server knows our search attributes. */
  readonly searchable: boolean;
  /** Present where a person triggered it; else the time is Temporal's own. ISO 8601. */
  readonly triggeredAt?: string;
}

export interface BeginRunInput {
  readonly schedule: string;
  readonly template: AssetRef;
  readonly timezone: string;
  /** ISO 8601, whole seconds. */
  readonly scheduledAt: string;
  readonly by: RunBy;
}

/**
 * `had`: it was begun before and has ended, or another render of it has come since. `halted`: its schedule was paused or
 * deleted before it began, and nothing is settled of it.
 */
export type BegunRun =
  | ({ readonly state: 'begun' } & Pick<ProductionInput, 'productionId' | 'production' | 'plan' | 'basis' | 'renderId'>)
  | {
      readonly state: 'begun-batch';
      readonly productionId: string;
      readonly batch: Omit<BatchInput, 'storeId' | 'searchable' | 'carried'>;
    }
  | { readonly state: 'had'; readonly productionId: string }
  | { readonly state: 'halted'; readonly productionId: string };

/** How a scheduled run ended, as its schedule sees it. A run that ends incomplete fails instead. */
export interface ScheduledRunEnd {
  /** Or the batch's. */
  readonly productionId: string;
  /** `had`: there was nothing to begin. `halted`: it was not to begin any more. `waiting`: only people can go on, and the production waits for them. */
  readonly state: 'had' | 'halted' | 'waiting' | 'completed' | 'cancelled';
}

/** Activities that serve schedules. */
export interface ScheduleActivities {
  /**
   * Finds out what a scheduled time is, or settles it once and for all: the run's number, and its production or batch
   * with the variables filled in.
   */
  readonly beginRun: (input: BeginRunInput) => Promise<BegunRun>;
  /** Waits until what another has begun is under way no more. */
  readonly awaitRun: (run: AwaitedRun) => Promise<RunEnd>;
}

/** The production or batch of a run. */
export interface AwaitedRun {
  readonly kind: 'production' | 'batch';
  readonly workflowId: string;
}

/** What a worker's activities ask Temporal about schedules. */
export interface ScheduleLine {
  /** What the schedule's runs are made of now; `halted` where it is paused, or is not there any more. */
  readonly standing: (schedule: string) => Promise<'halted' | Pick<BeginRunInput, 'template' | 'timezone'>>;
  /** How it has ended, or waits for people; `had` where Temporal does not know how. */
  readonly endOf: (run: AwaitedRun) => Promise<RunEnd | 'under-way'>;
}
