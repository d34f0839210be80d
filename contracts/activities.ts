import type { AskedLease, Lease, Survey, SurveyInput, Turn } from './gateway/arbiter';
import type { AssetRef, TakeFrame } from './asset';
import type { Permit, ProductionSpending, Reservation } from './money/budget';
import type { DecidedBy, Decision, ParkedFor } from './render/decision';
import type { Choice } from './render/directing';
import type { FrameLink } from './render/frozen';
import type { Limits } from './gateway/limits';
import type { OutputKind } from './gateway/models';
import type { NoticeInput } from './notice';
import type { PlannedShot } from './render/plan';
import type { TakeRef } from './render/take';
import type { ProductionStatus } from './status';

/** A frame, picture or text of another shot's take that this shot uses. */
export interface LinkedFrame {
  readonly shot: string;
  readonly frame: FrameLink['frame'];
  /** Key of the other shot's take. Part of this shot's take key: a new take there requires a new take here. */
  readonly takeKey: string;
  readonly asset: AssetRef;
  /** The same frame, color-corrected towards the chain's first clip. The activity that sends the frame sets this. */
  readonly corrected?: AssetRef;
}

/** The task to pay for. The activity loads the task's parameters from the frozen production. */
export interface TaskInput {
  readonly productionId: string;
  readonly production: AssetRef;
  readonly shotId: string;
  readonly links: readonly LinkedFrame[];
  /**
   * The render that requests the task.
   *
   * After a failed take, a new take needs another render, a higher `attempt` of the same render, or a person's
   * decision. So if Temporal runs the activity again after the failure, nothing is paid for.
   */
  readonly renderId: string;
  readonly attempt: number;
  /** Index of the take among the takes that the shot requests at once, from 0. */
  readonly sibling: number;
  /** The budget's permit: null until the production grants the permit, absent if the production has no budget. */
  readonly permit?: Permit | null;
  /** The task's place in the account's queue. Default: normal priority, in the group of its production. */
  readonly turn?: Turn;
  /** The lease of the account's arbiter. Absent until it is granted. */
  readonly lease?: Lease;
}

/**
 * The parts of a paid task's request that are needed to restore the take if the ledger has lost it.
 *
 * Inputs pass it as `asked`; inputs from older workflows lack it.
 */
export type AskedTask = Pick<TaskInput, 'production' | 'renderId' | 'attempt' | 'sibling'> & {
  readonly links: readonly Pick<LinkedFrame, 'shot' | 'frame' | 'takeKey'>[];
};

/** `input`: the gateway refused the request itself. `credits`: the account has no credits. */
export type RefusalKind = 'input' | 'credits';

/** The outcome of a submit. While there is no outcome, for example because the gateway is down, the activity throws. */
export type SubmitOutcome = SubmitEnd & {
  /** Number of the take's last decision in the ledger. The next decision passes it as `DecideInput.seen`. */
  readonly decisions: number;
};

export type SubmitEnd =
  | { readonly state: 'accepted'; readonly take: TakeRef; readonly taskId: string; readonly acceptedAt: string }
  | {
      readonly state: 'completed';
      readonly take: TakeRef;
      /** Null if a person's own clip, or another production's take, provides the output. */
      readonly taskId: string | null;
      readonly credits: number | null;
      readonly output: TakeOutput;
    }
  | {
      readonly state: 'failed';
      readonly take: TakeRef;
      readonly taskId: string;
      readonly credits: number | null;
      readonly reason: string;
    }
  | { readonly state: 'refused'; readonly take: TakeRef; readonly kind: RefusalKind; readonly reason: string }
  | { readonly state: 'unclear'; readonly take: TakeRef; readonly reason: string; readonly since: string }
  /** The clip that a person supplied for the take, or that the take reuses from another production, is lost. */
  | { readonly state: 'uncollected'; readonly take: TakeRef; readonly reason: string }
  /** A person skipped the take. */
  | { readonly state: 'skipped'; readonly take: TakeRef; readonly reason: string }
  /** The task has to be sent, and the production's budget has not allowed it yet. */
  | { readonly state: 'unreserved'; readonly take: TakeRef; readonly reservation: Reservation }
  /**
   * The task has to be sent, but not now. If `isAsked` is true, the account's arbiter was asked for a lease and will
   * answer. If `isAsked` is false, something else delays the take, and the workflow has to return its lease.
   */
  | {
      readonly state: 'unleased';
      readonly take: TakeRef;
      readonly wanted: AskedLease;
      readonly isAsked: boolean;
    };

export interface AwaitTaskInput {
  readonly take: TakeRef;
  readonly taskId: string;
  /** ISO 8601. The interval between reads depends on the task's age. */
  readonly acceptedAt: string;
  /** True if the deadline has passed: the activity reads once more and returns the current state. */
  readonly lastRead: boolean;
  readonly asked?: AskedTask;
}

/** The state `pending` occurs only if `lastRead` is true. */
export type TaskOutcome =
  | { readonly state: 'completed'; readonly credits: number | null }
  | { readonly state: 'failed'; readonly credits: number | null; readonly reason: string }
  | { readonly state: 'pending' };

export interface StoreOutputInput {
  readonly take: TakeRef;
  readonly taskId: string;
  readonly production: AssetRef;
  readonly output: OutputKind;
  readonly asked?: AskedTask;
}

/** The stored output of a completed task. A frame is null if the output is not a video or the frame is not stored. */
export interface TakeOutput {
  readonly asset: AssetRef;
  readonly firstFrame: AssetRef | null;
  readonly lastFrame: TakeFrame | null;
  /** Differences from the request that leave the output usable, such as another length or size. */
  readonly warnings: readonly string[];
}

export interface LastFrameInput {
  readonly take: TakeRef;
  readonly taskId: string;
  /** The stored clip with its first frame and warnings; recorded together with the last frame. */
  readonly output: TakeOutput;
  readonly asked?: AskedTask;
}

export interface AssembleFilmInput {
  readonly production: AssetRef;
  readonly clips: readonly { readonly shotId: string; readonly asset: AssetRef }[];
}

export interface DecideInput {
  readonly take: TakeRef;
  /** Number of the last decision that the person or policy knew of. If the ledger has a later one, `decide` refuses. */
  readonly seen: number;
  readonly parkedFor: ParkedFor;
  readonly decision: Decision;
  readonly by: DecidedBy;
  /** The user's clip and its frames for `use`; null for other decisions. */
  readonly output: TakeOutput | null;
  /** The task id that the workflow knows, if any. Absent from older workflows. */
  readonly taskId?: string | null;
}

export type DecideOutcome =
  | { readonly recorded: true }
  | {
      readonly recorded: false;
      readonly reason: string;
      /** True if the take has changed since the person or policy saw it. The workflow must read it again. */
      readonly isOutdated: boolean;
    };

export interface ChooseTakeInput {
  readonly task: TaskInput;
  /** Null: choose nothing, and read the current choice. */
  readonly take: number | null;
  /** Key of that take, since a restored ledger may have the take under another number. */
  readonly takeKey?: string;
  /** `first` takes effect only if no usable take is chosen yet, `default` only if none is approved yet. */
  readonly by: Choice['by'];
}

export interface LookUpSpendingInput {
  readonly productionId: string;
  /** Null for all shots. */
  readonly shotId: string | null;
}

export interface ApplyFallbackInput {
  readonly productionId: string;
  /** The production that runs, with its directions. */
  readonly production: AssetRef;
  /** The production as written in its file, without directions. */
  readonly written: AssetRef;
  /** The file's plan with directions applied (`RenderBasis.plan`), as an asset. */
  readonly plan: AssetRef;
  /** The shots as the file's fallback changes them (`Fallback`), as an asset. */
  readonly fallback: AssetRef;
  readonly renderId: string;
  /** Shots for which this render has sent nothing. The workflow starts none of them before the activity has ended. */
  readonly shots: readonly string[];
  /** Keys of the production's chosen takes, by shot. `shots` may link to these takes. */
  readonly standing: Readonly<Record<string, string>>;
}

/** The facts from which a render's remaining time is computed. */
export interface KnownTimes {
  /** Time in which nine of ten tasks ended, by model, in milliseconds. Models with too few known tasks are left out. */
  readonly slow: Readonly<Record<string, number>>;
  readonly limits: Pick<Limits, 'account' | 'models'>;
}

/** The production with the fallback applied, and the shots that use it. */
export interface AppliedFallback {
  readonly production: AssetRef;
  readonly plan: AssetRef;
  /** The shots that use the fallback, as they are to be rendered. */
  readonly shots: readonly PlannedShot[];
  /** The shots that stay as they are, with the reason. */
  readonly left: readonly { readonly shot: string; readonly reason: string }[];
}

/** The take that is chosen for a shot. */
export interface RecordedChoice {
  readonly approved: boolean;
  /** The take's outcome, as a submit would report it. `accepted` can also mean: collect the output again. */
  readonly taken: SubmitOutcome;
}

/** Activities that pay for tasks, or find tasks that were paid for. */
export interface SubmitActivities {
  readonly submitTask: (input: TaskInput) => Promise<SubmitOutcome>;
  /**
   * Sends a task by one execute call, which waits for the result. After a timeout the outcome is `unclear`. May submit
   * the task instead, for example if execute calls for its model are slow.
   */
  readonly executeTask: (input: TaskInput) => Promise<SubmitOutcome>;
  /**
   * Finds the outcome of a task whose submit was cancelled and may have been sent; null if the take is missing, was
   * skipped, or may still be sent.
   */
  readonly lookUpTask: (input: TaskInput) => Promise<SubmitOutcome | null>;
}

/** Short activities about decisions, choices, budgets and leases. A person may be waiting for the answer. */
export interface DecisionActivities {
  /** Cuts the frames of a user's own clip, so that it can replace a take's output. */
  readonly prepareClip: (input: { readonly asset: AssetRef }) => Promise<TakeOutput>;
  /** Records a decision about a take in the ledger, if the decision is allowed. */
  readonly decide: (input: DecideInput) => Promise<DecideOutcome>;
  /**
   * Records which take is chosen for a shot.
   *
   * @returns the take that is chosen now; null if no usable take is chosen, or if the chosen take has no outcome yet.
   */
  readonly chooseTake: (input: ChooseTakeInput) => Promise<RecordedChoice | null>;
  /** Reads the charges, and possible further charges, of a production or one of its shots from the ledger. */
  readonly lookUpSpending: (input: LookUpSpendingInput) => Promise<ProductionSpending>;
  /** Tells the arbiter the limits in force, and which of the arbiter's leases are still in use. */
  readonly survey: (input: SurveyInput) => Promise<Survey>;
  /** Looks up the usual times of the models' tasks, and the account's limits. */
  readonly lookUpTimes: (input: { readonly models: readonly string[] }) => Promise<KnownTimes>;
  /** Records that shots use the file's fallback, and freezes the production with these shots. */
  readonly applyFallback: (input: ApplyFallbackInput) => Promise<AppliedFallback>;
}

export interface PollActivities {
  readonly awaitTask: (input: AwaitTaskInput) => Promise<TaskOutcome>;
}

export interface MediaActivities {
  readonly storeOutput: (input: StoreOutputInput) => Promise<TakeOutput>;
  readonly lastFrame: (input: LastFrameInput) => Promise<TakeFrame>;
  readonly assembleFilm: (input: AssembleFilmInput) => Promise<AssetRef>;
  /** Writes the status of an ended production into the store, since Temporal deletes the workflow later. */
  readonly archiveProduction: (input: { readonly status: ProductionStatus }) => Promise<void>;
}

export interface NoticeActivities {
  /** Posts a signed notice, unless its delivery is recorded. Resolves when the receiver has accepted the notice. */
  readonly deliverNotice: (input: NoticeInput) => Promise<void>;
  /** Records that the notice will not be posted again. */
  readonly noteUndelivered: (input: NoticeInput & { readonly reason: string }) => Promise<void>;
}
