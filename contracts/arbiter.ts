import type { Reservation } from './budget';
import type { LimitSet } from './limits';

/** The words in which takes and the arbiter of an account speak of the right to submit. Times are ISO 8601. */

/** Whose turn comes first. Within one, productions take turns. */
export const PRIORITIES = ['urgent', 'normal', 'batch'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Where a task stands among those that wait for the gateway, and how long it may stay there. */
export interface Turn {
  readonly priority: Priority;
  /** From then on it is urgent, whatever its priority; absent where it never is. */
  readonly urgentFrom?: string;
  /** What it takes turns as. Default: its production. */
  readonly group?: string;
  /** How long its task may take. */
  readonly deadlineSeconds: number;
}

/** How long a task is taken to take, and a take to be unclear, of which nobody has said how long. */
export const UNKNOWN_DEADLINE_SECONDS = 60 * 60;

/** One sending of one take, and those that follow it where it was surely refused. */
export interface LeaseKey {
  readonly takeKey: string;
  /** Counts from 1 within the take. */
  readonly sending: number;
}

/** A sending that its arbiter was asked for. */
export interface AskedLease extends LeaseKey {
  /** Workflow id of the arbiter. Absent in what older workers asked for: then it runs on the workflow's own queue. */
  readonly arbiter?: string;
}

/** Which run of which arbiter has granted a lease; the store knows which of them still count. */
export interface Epoch {
  readonly epoch: number;
  readonly runId: string;
}

/** The right to submit. */
export interface Lease extends LeaseKey, Epoch {
  /** Whoever has not sent by then has to ask again. */
  readonly useBy: string;
}

/** Where a leased sending stands in the ledger. */
export interface LeaseAddress extends LeaseKey {
  readonly productionId: string;
  readonly shotId: string;
  readonly take: number;
}

/** What a take asks for. Asked twice, it is one wish. */
export interface LeaseAsk extends LeaseAddress, Pick<Reservation, 'kind' | 'units' | 'quoted'>, Turn {
  readonly group: string;
  readonly model: string;
  /** The workflow to answer. */
  readonly holder: string;
  /** Its other sendings that may be at the gateway yet; a lease for any further one is over. */
  readonly still: readonly number[];
  /** The limits that it goes by, as `LimitsInForce` names them. */
  readonly force: string;
  /** Present where it had a lease that the store did not know. */
  readonly refused?: Epoch;
  /** Present where the gateway has just throttled it; how long it is to wait, where the gateway says so. */
  readonly throttled?: { readonly retryAfterMs: number | null };
}

/** A leased sending needs its place no more. */
export interface LeaseEnd extends LeaseKey {
  /** `withdrawn`: it will not be sent. `refused`: surely not accepted. `ended`: its task has ended. */
  readonly how: 'ended' | 'refused' | 'withdrawn';
  /** What it was charged; null where nobody has said. */
  readonly credits: number | null;
}

/**
 * What the arbiter is told of a lease. `cancelled`: it will not be sent any more, and the ledger knows whether it was.
 * `unclear`: it keeps its place, and nobody knows whether it is a task.
 */
export type LeaseNews = LeaseEnd | NoEnd<'cancelled'> | NoEnd<'unclear'>;
type NoEnd<How> = LeaseKey & { readonly how: How; readonly credits: 0 };

/** A sending that was granted, or is known to be under way without that. */
export interface HeldLease extends LeaseAddress {
  readonly model: string;
  /** What it may be charged; null where nobody knows. */
  readonly credits: number | null;
  readonly kind: string;
  readonly units: number;
  readonly sinceMs: number;
  /** Not sent by then, it is over. Null where it is known to have been sent. */
  readonly useByMs: number | null;
  /** How long its task may take. */
  readonly deadlineSeconds: number;
}

/** What the arbiter wants to know of store and gateway. */
export interface SurveyInput {
  /** Present where a new epoch begins. Null where nothing that was granted before counts any more. */
  readonly begins?: { readonly follows: number | null };
  /** Whether to look for everything of the account that is under way. */
  readonly whole: boolean;
  readonly held: readonly Pick<
    HeldLease,
    'productionId' | 'shotId' | 'take' | 'takeKey' | 'sending' | 'model' | 'deadlineSeconds' | 'sinceMs'
  >[];
}

export interface Survey {
  /** The newest one of the store. */
  readonly epoch: number;
  readonly limits: { readonly account: LimitSet; readonly models: Readonly<Record<string, LimitSet>> };
  /** Names the limits. Null where none is in force. */
  readonly force: string | null;
  /** Since when the ledger was read, by the clock of who read it: what came later, it may not have seen. */
  readonly asOfMs: number;
  /** Takes whose records are lost or cut short, in words for a person. What becomes of them, nobody can say. */
  readonly unreadable: readonly string[];
  /** Of those asked about: what has ended, and what was never sent. What is not named is under way. */
  readonly ended: readonly LeaseEnd[];
  readonly unsent: readonly LeaseKey[];
  /** Of all that are under way: those of which nobody knows whether they are tasks. */
  readonly unclear?: readonly LeaseKey[];
  /** Present where the whole was asked for. */
  readonly underWay?: readonly HeldLease[];
  /** What was charged today, by model; present where the whole was asked for. */
  readonly spent?: Spent;
}

/** What was charged on a day, UTC. */
export interface Spent {
  readonly day: string;
  readonly byModel: Readonly<Record<string, number>>;
}

/** What a lease waits for, in words for a person. */
export interface QueuedTask {
  readonly production: string;
  readonly shot: string;
  readonly take: number;
  readonly model: string;
  readonly priority: Priority;
  /** What it takes turns as. */
  readonly group: string;
  readonly since: string;
  readonly waitsFor: string;
}

/** What the arbiter knows, for people. */
export interface ArbiterView {
  readonly limits: Survey['limits'];
  /** The number in flight that the gateway's throttling has taught; null where it has taught none. */
  readonly learnedInFlight: number | null;
  /** Until when nothing is granted, since the gateway asked for it; null where it is open. */
  readonly closedUntil: string | null;
  readonly inFlight: number;
  readonly inFlightByModel: Readonly<Record<string, number>>;
  readonly spentToday: number;
  /** In the order in which they would go. */
  readonly waiting: readonly QueuedTask[];
  /** Nothing is granted while it learns from the ledger what is under way. */
  readonly isLearning: boolean;
  /** Who has asked, and is heard once it has learned; in no order yet. */
  readonly asking: number;
  /** Takes that it knows nothing of, since their records are lost or cut short. */
  readonly unreadable: readonly string[];
}

/** By which activities reach the arbiter of their account. */
export interface ArbiterLine {
  /** Workflow id of the arbiter. */
  readonly arbiter: string;
  /** Starts the arbiter where none runs. It answers the holder by a signal. */
  ask(ask: LeaseAsk): Promise<void>;
  /** An arbiter that does not run needs no telling: it finds out. */
  tell(news: LeaseNews): Promise<void>;
}
