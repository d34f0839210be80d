import type { AssetRef } from '../asset';
import type { BatchInput, BatchRules } from './batch';
import type { FrozenProduction } from './frozen';
import type { ProductionPlan } from './plan';
import type { RunEnd } from './run-end';
import type { ProductionInput, Searchable } from '../workflows';

/** Types of schedules and their runs. A schedule starts a run at each of its times. A person can also start one. */

/** Origin of a run: the schedule (also for backfills), or a person's trigger (`hand`). */
export type RunBy = 'schedule' | 'hand';

/** The source of a schedule's runs, frozen into the store with its variables unfilled. */
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
  /** Lists the pages that hold the batch's rows. */
  readonly index: AssetRef;
  readonly rules: BatchRules;
}

/** Input of the workflow that a schedule, or a person's trigger, starts. */
export interface ScheduledRunInput {
  readonly schedule: string;
  readonly storeId: string;
  readonly account: string;
  /** The version of the schedule in the store. */
  readonly version: number;
  readonly template: AssetRef;
  /** IANA name of the zone for dates. */
  readonly timezone: string;
  readonly searchable: Searchable;
  /** When a person triggered the run, ISO 8601. Absent: Temporal's scheduled time applies. */
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
 * Outcome of `beginRun`.
 *
 * `had`: the run has already ended, or a later render replaced it. `halted`: the schedule was paused or deleted before
 * the run began, and nothing was recorded.
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

/** The result of a scheduled run. If the production or batch ends incomplete, the run's workflow fails instead. */
export interface ScheduledRunEnd {
  /** Id of the production or batch. */
  readonly productionId: string;
  /**
   * `had`: there was nothing to begin, or the outcome is unknown. `halted`: the schedule was paused or deleted, or
   * runs were held for a day (see `RunsHold`). `waiting`: only people can continue the production or batch.
   */
  readonly state: 'had' | 'halted' | 'waiting' | 'completed' | 'cancelled';
}

export interface ScheduleActivities {
  /**
   * Begins the run of a scheduled time. The first call that may begin it fills the variables into the production or
   * batch and records the filled form. Later calls use this record.
   */
  readonly beginRun: (input: BeginRunInput) => Promise<BegunRun>;
  /** Waits until a run that another workflow began is no longer under way. */
  readonly awaitRun: (run: AwaitedRun) => Promise<RunEnd>;
}

/** The production or batch of a run. */
export interface AwaitedRun {
  readonly kind: 'production' | 'batch';
  readonly workflowId: string;
  /** True if an earlier call of `awaitRun` found the run under way. */
  readonly wasUnderWay?: true;
}

/** How activities ask Temporal about schedules and runs. */
export interface ScheduleLine {
  /** The schedule's current template and time zone; `halted` if the schedule is paused or deleted. */
  readonly standing: (schedule: string) => Promise<'halted' | Pick<BeginRunInput, 'template' | 'timezone'>>;
  /** The run's outcome, also if it waits for people; `had` if Temporal does not know the outcome. */
  readonly endOf: (run: AwaitedRun) => Promise<RunEnd | 'under-way'>;
}
