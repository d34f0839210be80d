import type { AskedLease, Lease, Survey, SurveyInput, Turn } from './arbiter';
import type { AssetRef, TakeFrame } from './asset';
import type { Permit, ProductionSpending, Reservation } from './budget';
import type { DecidedBy, Decision, ParkedFor } from './decision';
import type { Choice } from './directing';
import type { FrameLink } from './frozen';
import type { Limits } from './limits';
import type { OutputKind } from './models';
import type { NoticeInput } from './notice';
import type { PlannedShot } from './plan';
import type { TakeRef } from './take';
import type { ProductionStatus } from './status';

/** What a shot uses of another shot's take, carried by reference. */
export interface LinkedFrame {
  readonly shot: string;
  readonly frame: FrameLink['frame'];
  /** The take it is of; part of the take key, so that another take upstream makes another take here. */
  readonly takeKey: string;
  readonly asset: AssetRef;
  /** The same with its colour corrected towards the chain's first clip; made by the activity that sends it. */
  readonly corrected?: AssetRef;
}

/** Which task to pay for. Everything that is sent is loaded from the frozen production by the activity. */
export interface TaskInput {
  readonly productionId: string;
  readonly production: AssetRef;
  readonly shotId: string;
  readonly links: readonly LinkedFrame[];
  /**
   * The render that asks. A take that failed is followed by a new one only in another render, or at a higher
   * `attempt` of the same one; so an activity that runs twice never takes its own failure for an old one.
   */
  readonly renderId: string;
  readonly attempt: number;
  /** Which of the shot's takes side by side, from 0. */
  readonly sibling: number;
  /** What a production with a budget has allowed, null where nothing yet; absent where it has none. */
  readonly permit?: Permit | null;
  /** Its place among all that the account sends. Default: normal, in turn with its production's others. */
  readonly turn?: Turn;
  /** What the account's arbiter has granted; absent where nothing yet. */
  readonly lease?: Lease;
}

/**
 * What a workflow knows of the ask of a task that is paid for: a ledger that has lost the take gets it back by this.
 * Absent in what older workflows ask.
 */
export type AskedTask = Pick<TaskInput, 'production' | 'renderId' | 'attempt' | 'sibling'> & {
  readonly links: readonly Pick<LinkedFrame, 'shot' | 'frame' | 'takeKey'>[];
};

/** Refused for what was asked, or for want of credits. Any other refusal passes, and is waited for. */
export type RefusalKind = 'input' | 'credits';

/** What a submit came to. An outcome is data; only "surely not accepted now" is thrown, to be retried. */
export type SubmitOutcome = SubmitEnd & {
  /** How many decisions about the take were noted by then. Who decides next decides in view of these. */
  readonly decisions: number;
};

export type SubmitEnd =
  | { readonly state: 'accepted'; readonly take: TakeRef; readonly taskId: string; readonly acceptedAt: string }
  | {
      readonly state: 'completed';
      readonly take: TakeRef;
      /** Null where a clip of the person's own stands in. */
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
  /** The clip that a person gave for it is lost. */
  | { readonly state: 'uncollected'; readonly take: TakeRef; readonly reason: string }
  /** A person left it out. */
  | { readonly state: 'skipped'; readonly take: TakeRef; readonly reason: string }
  /** It has to be sent, and the budget's production has not allowed that. */
  | { readonly state: 'unreserved'; readonly take: TakeRef; readonly reservation: Reservation }
  /**
   * It has to be sent, and the account's arbiter has not granted that. `isAsked`: the arbiter will answer; where not, a
   * lease was given back, since something else holds the take up.
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
  /** ISO 8601. Spacing of reads follows the time since then. */
  readonly acceptedAt: string;
  /** The deadline has passed: read once more and say what is so. */
  readonly lastRead: boolean;
  readonly asked?: AskedTask;
}

/** `pending` only where the last read was asked for. */
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

/** What a completed task left in the store. `lastFrame` is null for anything but video. */
export interface TakeOutput {
  readonly asset: AssetRef;
  readonly firstFrame: AssetRef | null;
  readonly lastFrame: TakeFrame | null;
  /** What is not as asked for, though usable: another length, another size. */
  readonly warnings: readonly string[];
}

export interface LastFrameInput {
  readonly take: TakeRef;
  readonly taskId: string;
  /** The stored clip with its first frame and warnings, for the record. */
  readonly output: TakeOutput;
  readonly asked?: AskedTask;
}

export interface AssembleFilmInput {
  readonly production: AssetRef;
  /** In the order of the film. */
  readonly clips: readonly { readonly shotId: string; readonly asset: AssetRef }[];
}

export interface DecideInput {
  readonly take: TakeRef;
  /** How many decisions about the take there were when this one was taken: it is noted as the next one or not at all. */
  readonly seen: number;
  readonly parkedFor: ParkedFor;
  readonly decision: Decision;
  readonly by: DecidedBy;
  /** Of the clip that is to be used; else null. */
  readonly output: TakeOutput | null;
  /** The task that the workflow knows of the take, if any. Absent in what older workflows ask. */
  readonly taskId?: string | null;
}

export type DecideOutcome =
  | { readonly recorded: true }
  | {
      readonly recorded: false;
      readonly reason: string;
      /** The take stands otherwise than who decided has seen it: it is to be looked at again. */
      readonly isOutdated: boolean;
    };

export interface ChooseTakeInput {
  /** The shot in its context. */
  readonly task: TaskInput;
  /** Null to ask what stands, and choose nothing. */
  readonly take: number | null;
  /** Of that take, whose number may be another one in a ledger that was restored. */
  readonly takeKey?: string;
  /** The first to complete stands only where nothing stands yet, and time that is up only where nobody has approved. */
  readonly by: Choice['by'];
}

export interface LookUpSpendingInput {
  readonly productionId: string;
  /** Null for all shots. */
  readonly shotId: string | null;
}

export interface ApplyFallbackInput {
  readonly productionId: string;
  /** As it runs. */
  readonly production: AssetRef;
  /** As its file has it. */
  readonly written: AssetRef;
  /** The plan as its file has it, as an asset. */
  readonly plan: AssetRef;
  /** What the file's fallback makes of its shots, as an asset. */
  readonly fallback: AssetRef;
  readonly renderId: string;
  /** Shots of which this run has sent nothing, and will not meanwhile. */
  readonly shots: readonly string[];
  /** What is known of the takes that they would start on: by shot, the take that stands. */
  readonly standing: Readonly<Record<string, string>>;
}

/** By what the time that is left to need is reckoned. */
export interface KnownTimes {
  /** How long tasks of each model take at the longest, in milliseconds; without those of which too little is known. */
  readonly slow: Readonly<Record<string, number>>;
  readonly limits: Pick<Limits, 'account' | 'models'>;
}

/** The production with the fallback, and which shots have taken it. */
export interface AppliedFallback {
  readonly production: AssetRef;
  /** As `ApplyFallbackInput.plan`. */
  readonly plan: AssetRef;
  /** Those that have taken it, as they are to be rendered now. */
  readonly shots: readonly PlannedShot[];
  /** Those that stay as they are, and why. */
  readonly left: readonly { readonly shot: string; readonly reason: string }[];
}

/** The choice that stands for a shot. */
export interface StandingChoice {
  readonly approved: boolean;
  /** As a submit finds the take: accepted, where its bytes have to be brought home once more. */
  readonly taken: SubmitOutcome;
}

/** Activities that spend or collect what was paid for. */
export interface SubmitActivities {
  readonly submitTask: (input: TaskInput) => Promise<SubmitOutcome>;
  /** Runs a task that ends within the limit of the execute endpoints; a time-out is unclear. */
  readonly executeTask: (input: TaskInput) => Promise<SubmitOutcome>;
  /** What came of a task that may have been sent before its submit was cancelled; null if nothing of it is paid for. */
  readonly lookUpTask: (input: TaskInput) => Promise<SubmitOutcome | null>;
}

/** Activities that settle how a shot goes on, while a person may wait for the answer. */
export interface DecisionActivities {
  /** Cuts the frames of a clip of the person's own, so that it can stand for what a take would have left. */
  readonly prepareClip: (input: { readonly asset: AssetRef }) => Promise<TakeOutput>;
  /** Notes in the ledger how the take goes on, after checking that it may. */
  readonly decide: (input: DecideInput) => Promise<DecideOutcome>;
  /** Notes which take stands for a shot. @returns the one that does, null where none. */
  readonly chooseTake: (input: ChooseTakeInput) => Promise<StandingChoice | null>;
  /** Reads off the ledger what a production, or one shot of it, was charged and may be charged yet. */
  readonly lookUpSpending: (input: LookUpSpendingInput) => Promise<ProductionSpending>;
  /** Tells the arbiter what limits are in force, and what of what it knows is under way. */
  readonly survey: (input: SurveyInput) => Promise<Survey>;
  /** How long tasks of models usually take, and how many the account may send. */
  readonly lookUpTimes: (input: { readonly models: readonly string[] }) => Promise<KnownTimes>;
  /** Notes that shots are rendered by their file's fallback from now on, and makes the production that says so. */
  readonly applyFallback: (input: ApplyFallbackInput) => Promise<AppliedFallback>;
}

export interface PollActivities {
  readonly awaitTask: (input: AwaitTaskInput) => Promise<TaskOutcome>;
}

export interface MediaActivities {
  readonly storeOutput: (input: StoreOutputInput) => Promise<TakeOutput>;
  readonly lastFrame: (input: LastFrameInput) => Promise<TakeFrame>;
  readonly assembleFilm: (input: AssembleFilmInput) => Promise<AssetRef>;
  /** Writes the ended production's status into the store, for the time after Temporal has forgotten it. */
  readonly archiveProduction: (input: { readonly status: ProductionStatus }) => Promise<void>;
}

export interface NoticeActivities {
  /** Posts a notice, signed, once; resolves where the receiver has it. */
  readonly deliverNotice: (input: NoticeInput) => Promise<void>;
  /** Notes that it is posted no more. */
  readonly noteUndelivered: (input: NoticeInput & { readonly reason: string }) => Promise<void>;
}
