import type { AssembleFilmInput } from './activities';
import type { AssetRef } from './asset';
import type { BatchInput, BatchStatus } from './render/batch';
import type { LatestTake } from './gateway/latest-take';
import type { NoticeInput, NoticeOutcome } from './notice';
import type { ScheduledRunEnd, ScheduledRunInput } from './render/scheduled-run';
import type { ProductionStatus } from './status';
import type { GenerateInput, ProductionInput, ShotInput, ShotOutcome, TakeOutcome } from './workflows';

/**
 * Input and result of each registered workflow, by the workflow's name on the wire.
 *
 * Code that starts a workflow by name takes the types from here, and a test compares the workflows with them. Arguments
 * that only tests and continued runs pass are left out.
 */
export interface WorkflowSignatures {
  readonly production: (input: ProductionInput) => Promise<ProductionStatus>;
  readonly shot: (input: ShotInput) => Promise<ShotOutcome>;
  readonly generate: (input: GenerateInput) => Promise<TakeOutcome>;
  readonly assemble: (input: AssembleFilmInput) => Promise<AssetRef>;
  /** `before` is null: an arbiter that is started by name has no state of an earlier run. */
  readonly arbiter: (before: null) => Promise<void>;
  readonly scheduledRun: (input: ScheduledRunInput) => Promise<ScheduledRunEnd>;
  readonly notice: (input: NoticeInput) => Promise<NoticeOutcome>;
  readonly batch: (input: BatchInput) => Promise<BatchStatus>;
  readonly latestTake: (first: LatestTake) => Promise<void>;
}

export type WorkflowName = keyof WorkflowSignatures;

/** Names by which clients start the registered workflows. */
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
} as const satisfies { readonly [Name in WorkflowName]: Name };
