import type { AssetRef, TakeFrame } from './asset';
import type { Permit, ProductionSpending, Reservation } from './budget';
import type { DecidedBy, Decision, ParkedFor } from './decision';
import type { Choice } from './directing';
import type { FrameLink } from './frozen';
import type { OutputKind } from './models';
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
}

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
  | { readonly state: 'unreserved'; readonly take: TakeRef; readonly reservation: Reservation };

export interface AwaitTaskInput {
  readonly take: TakeRef;
  readonly taskId: string;
  /** ISO 8601. Spacing of reads follows the time since then. */
  readonly acceptedAt: string;
  /** The deadline has passed: read once more and say what is so. */
  readonly lastRead: boolean;
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
  /** The first to complete stands only where nothing stands yet, and time that is up only where nobody has approved. */
  readonly by: Choice['by'];
}

export interface LookUpSpendingInput {
  readonly productionId: string;
  /** Null for all shots. */
  readonly shotId: string | null;
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
