import type { Priority } from '../gateway/arbiter';
import type { AssetRef } from '../asset';
import type { ProductionBudget } from '../money/budget';
import type { OnFailure, OnUnclear } from './decision';
import type { Review } from './directing';
import type { FrameLink, FrozenShot } from './frozen';
import type { OutputKind } from '../gateway/models';
import type { NotifyTarget } from '../notice';
import { type ReadyByRule, readyInstant } from '../file/ready-by';

/** Default maximum number of shots under way at once: enough to keep a gateway busy without flooding it. */
export const DEFAULT_MAX_IN_FLIGHT = 16;

/** Default number of further takes for a failed task. A single failure is common; two failures in a row are not. */
export const DEFAULT_RETRY_FAILED = 1;

/** Maximum number of parallel takes of a shot: each is paid for, and nobody compares more. */
export const MAX_TAKES = 8;

/** Maximum number of shots of a production, since its workflow keeps the state of each. */
export const MOST_SHOTS = 1_000;

/**
 * Maximum number of parallel takes, summed over a production's shots. Each is part of the workflow's status, state and
 * archive.
 */
export const MOST_TAKES = 2_000;

/** How a task is sent: `submit` and polls, or one `execute` call that answers with the result. */
export type SendingMode = 'submit' | 'execute';

/** What a production's workflow carries: ids, links, limits and rules; no prompts or files. */
export interface ProductionPlan {
  readonly title: string;
  readonly shots: readonly PlannedShot[];
  /** Maximum number of shots under way at once. */
  readonly maxInFlight: number;
  readonly assemble: boolean;
  readonly budget?: ProductionBudget;
  /** Priority in the account's queue. Absent: normal. */
  readonly priority?: Priority;
  readonly notify?: NotifyTarget;
  readonly readyBy?: PlannedReadyBy;
}

/** A plan's `readyBy`: the time by which the production is to be ready. */
export interface PlannedReadyBy {
  readonly rule: ReadyByRule;
  /** How shots are rendered when time runs short (`Fallback`), as an asset. Absent: there is only a warning. */
  readonly fallback?: AssetRef;
  /** The instant that was computed when the render began, ISO 8601. Absent in a file's plan. */
  readonly at?: string;
}

/** The shots that the file's fallback changes. */
export interface Fallback {
  readonly version: 1;
  readonly shots: readonly FallbackShot[];
}

/** A shot as the fallback changes it: the whole request, and its plan. */
export interface FallbackShot {
  readonly shot: FrozenShot;
  readonly planned: PlannedShot;
}

/** A shot's rules for failures, takes and review. */
export interface ShotPolicy {
  readonly onUnclear: OnUnclear;
  /** Number of further takes if the gateway fails the task. Refused content gets no further take. */
  readonly retryFailed: number;
  readonly onFailure: OnFailure;
  /** Number of parallel takes. */
  readonly takes: number;
  /** Null if the shot needs no approval. */
  readonly review: Review | null;
}

export interface PlannedShot extends ShotPolicy {
  readonly id: string;
  readonly model: string;
  readonly output: OutputKind;
  /**
   * `execute` if the model's tasks end well within the limit of the execute endpoints: the file says so, or (except
   * for video) earlier tasks show it. `submit` if the file says that the model is not quick. Absent: the tasks are
   * submitted.
   */
  readonly mode?: SendingMode;
  /** The shot's links to takes of other shots, each once. */
  readonly links: readonly FrameLink[];
  /** Longest time that a task may take before the shot is parked, in seconds. */
  readonly deadlineSeconds: number;
  /** Whether the store has a `Choice` or a `Direction` for the shot. */
  readonly directed: boolean;
  /** Hash of the shot's request. A shot with another digest needs another take. */
  readonly digest: string;
}

/** Returns a file's plan with its `readyBy` instant, computed from the time `from`. */
export function withReadyInstant(
  { readyBy, ...plan }: ProductionPlan,
  from: { readonly ms: number; readonly timeZone: string },
): ProductionPlan {
  return readyBy === undefined ? plan : { ...plan, readyBy: { ...readyBy, at: readyInstant(readyBy.rule, from) } };
}
