import type { Priority } from './arbiter';
import type { ProductionBudget } from './budget';
import type { OnFailure, OnUnclear } from './decision';
import type { Review } from './directing';
import type { FrameLink } from './frozen';
import type { OutputKind } from './models';
import type { NotifyTarget } from './notice';
import type { PlannedReadyBy } from './ready-by';

/** Shots under way at once where the file names no number: enough to keep a gateway busy, few enough not to flood it. */
export const DEFAULT_MAX_IN_FLIGHT = 16;

/** Further takes for a failed task where the file says nothing: failures of one machine are common, of two are not. */
export const DEFAULT_RETRY_FAILED = 1;

/** Most takes side by side: each is paid for, and nobody compares more. */
export const MAX_TAKES = 8;

/** The workflow of a production keeps each of its shots. */
export const MOST_SHOTS = 1_000;

/** Takes side by side of all shots together. Each is part of what the workflow tells, carries and archives. */
export const MOST_TAKES = 2_000;

/** How a task is paid for: by a submit that is polled, or by one call that answers with the result. */
export type SendingMode = 'submit' | 'execute';

/** The small part of a frozen production that its workflow carries: ids, links and bounds; no prompts, no files. */
export interface ProductionPlan {
  readonly title: string;
  readonly shots: readonly PlannedShot[];
  /** Most shots under way at once. */
  readonly maxInFlight: number;
  readonly assemble: boolean;
  /** Absent where nothing bounds what it may cost. */
  readonly budget?: ProductionBudget;
  /** Whose turn comes first at the gateway, where limits are in force. Absent: normal. */
  readonly priority?: Priority;
  /** Absent where nobody is to be told. */
  readonly notify?: NotifyTarget;
  /** Absent where it is ready when it is. */
  readonly readyBy?: PlannedReadyBy;
}

/** What the production's file lets a shot do by itself, and what it waits for. */
export interface ShotPolicy {
  readonly onUnclear: OnUnclear;
  /** Further takes for a task that the gateway fails, unless it refuses the content. */
  readonly retryFailed: number;
  readonly onFailure: OnFailure;
  /** Takes side by side. */
  readonly takes: number;
  /** Null where the shot waits for nobody. */
  readonly review: Review | null;
}

export interface PlannedShot extends ShotPolicy {
  readonly id: string;
  readonly model: string;
  readonly output: OutputKind;
  /**
   * `execute` where its tasks are known to end well within the limit of the execute endpoints; `submit` where the file
   * says that they do not. Absent where nothing was said: it is submitted.
   */
  readonly mode?: SendingMode;
  /** What it waits for of other shots, each named once. */
  readonly links: readonly FrameLink[];
  /** How long its task may take before the shot is given up waiting, in seconds. */
  readonly deadlineSeconds: number;
  /** Whether anybody has ever chosen among its takes or changed it against the file. */
  readonly directed: boolean;
  /** Equal where the same is asked for: a shot of another digest needs another take. */
  readonly digest: string;
}
