import type { Reservation } from '../money/budget';
import type { LimitSet } from './limits';

/**
 * Messages between takes and the account's arbiter, a workflow that grants the right to submit. Times are ISO 8601,
 * except in fields named `…Ms`.
 */

/** Priorities, highest first. Within a priority, groups take turns (`Turn.group`). */
export const PRIORITIES = ['urgent', 'normal', 'batch'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** A task's place in the account's queue, and the task's deadline. */
export interface Turn {
  readonly priority: Priority;
  /** The time from which the task is urgent, whatever its priority. Absent if the task never becomes urgent. */
  readonly urgentFrom?: string;
  /** The group that takes turns with others. Default: the production. */
  readonly group?: string;
  readonly deadlineSeconds: number;
}

/** Assumed deadline of a task or an unclear take whose deadline is unknown. */
export const UNKNOWN_DEADLINE_SECONDS = 60 * 60;

/**
 * Identifies one sending of a take. A lease is named after the sending that it was granted for. If that sending is
 * refused, the take's next sending uses the same lease, unless the refusal was for throttling or lack of credits.
 */
export interface LeaseKey {
  readonly takeKey: string;
  /** Counts from 1 within the take. */
  readonly sending: number;
}

/** A sending for which a lease was requested. */
export interface AskedLease extends LeaseKey {
  /** Workflow id of the arbiter. Absent from older workers; the id then follows from the workflow's task queue. */
  readonly arbiter?: string;
}

/** A period in which one run of the arbiter grants leases. The store records which epochs have valid leases. */
export interface Epoch {
  readonly epoch: number;
  readonly runId: string;
}

/** The right to submit one take. */
export interface Lease extends LeaseKey, Epoch {
  /** End of the lease. If nothing was sent by then, the workflow has to ask again. */
  readonly useBy: string;
}

/** The address of a leased sending in the ledger. */
export interface LeaseAddress extends LeaseKey {
  readonly productionId: string;
  readonly shotId: string;
  readonly take: number;
}

/** A take's request for a lease. A repeated request counts once. */
export interface LeaseAsk extends LeaseAddress, Pick<Reservation, 'kind' | 'units' | 'quoted'>, Turn {
  readonly group: string;
  readonly model: string;
  /** Id of the workflow to answer. */
  readonly holder: string;
  /** Earlier leases, by `sending`, whose tasks the gateway may have accepted. All other earlier leases have ended. */
  readonly still: readonly number[];
  /** Version of the limits that the requester has read (`LimitsInForce.force`). */
  readonly force: string;
  /** Present if the store did not accept the take's last lease: the epoch of that lease. */
  readonly refused?: Epoch;
  /** Present if the gateway has just throttled the sending; with the delay that the gateway asks for, if any. */
  readonly throttled?: { readonly retryAfterMs: number | null };
}

/** A leased sending that no longer counts as in flight. */
export interface LeaseEnd extends LeaseKey {
  /** `withdrawn`: it will not be sent. `refused`: it was surely not accepted. `ended`: its task counts as ended. */
  readonly how: 'ended' | 'refused' | 'withdrawn';
  /** Credits charged; null if unknown. */
  readonly credits: number | null;
}

/**
 * News about a lease for the arbiter.
 *
 * `cancelled`: the workflow gave the lease back, and the ledger says whether the task was sent. `unclear`: the sending
 * still counts as in flight, since the gateway may have accepted the task.
 */
export type LeaseNews = LeaseEnd | NoEnd<'cancelled'> | NoEnd<'unclear'>;
type NoEnd<How> = LeaseKey & { readonly how: How; readonly credits: 0 };

/** A sending that counts as in flight: it has a lease, or is under way without one. */
export interface HeldLease extends LeaseAddress {
  readonly model: string;
  /** The highest charge to expect for the task; null if unknown. */
  readonly credits: number | null;
  readonly kind: string;
  readonly units: number;
  readonly sinceMs: number;
  /** When the lease ends if nothing was sent; null if the task is known to have been sent. */
  readonly useByMs: number | null;
  readonly deadlineSeconds: number;
}

/** The arbiter's questions to the `survey` activity, about its leases and the account's tasks. */
export interface SurveyInput {
  /** Present if a new epoch begins. `follows` is the epoch whose leases stay valid; null if there is none. */
  readonly begins?: { readonly follows: number | null };
  /** Whether to read the whole account for tasks under way. */
  readonly whole: boolean;
  readonly held: readonly Pick<
    HeldLease,
    'productionId' | 'shotId' | 'take' | 'takeKey' | 'sending' | 'model' | 'deadlineSeconds' | 'sinceMs'
  >[];
}

export interface Survey {
  /** The newest epoch in the store. */
  readonly epoch: number;
  readonly limits: { readonly account: LimitSet; readonly models: Readonly<Record<string, LimitSet>> };
  /** Version of the limits (`LimitsInForce.force`); null if none are in force. */
  readonly force: string | null;
  /** When the ledger was read, by the clock of the worker that read it. Later records may be missing. */
  readonly asOfMs: number;
  /** Takes of unknown state, since their records are lost or damaged. In words for a person. */
  readonly unreadable: readonly string[];
  /** Of `held`: leases of takes that cannot be read and that count as in flight. Absent from older workers. */
  readonly unreadableLeases?: readonly LeaseKey[];
  /** Of `held`: sendings that have ended (`ended`) or were never sent (`unsent`). The others count as in flight. */
  readonly ended: readonly LeaseEnd[];
  readonly unsent: readonly LeaseKey[];
  /** Sendings under way that the gateway may not have accepted. */
  readonly unclear?: readonly LeaseKey[];
  /** Present if `whole` was set. */
  readonly underWay?: readonly HeldLease[];
  /** Credits charged today, by model. Present if `whole` was set. */
  readonly spent?: Spent;
}

/** Credits charged on a day, UTC. If a charge is unknown, the task's quote counts instead. */
export interface Spent {
  readonly day: string;
  readonly byModel: Readonly<Record<string, number>>;
}

/** A task that waits for a lease, as people see it. */
export interface QueuedTask {
  readonly production: string;
  readonly shot: string;
  readonly take: number;
  readonly model: string;
  readonly priority: Priority;
  /** The group that takes turns with others. */
  readonly group: string;
  readonly since: string;
  readonly waitsFor: string;
}

/** The arbiter's state, as people see it. */
export interface ArbiterView {
  readonly limits: Survey['limits'];
  /** The limit of tasks in flight that was learned from the gateway's throttling; null if none was learned. */
  readonly learnedInFlight: number | null;
  /** The time until which no lease is granted, because the gateway throttled a submit; null if there is none. */
  readonly closedUntil: string | null;
  readonly inFlight: number;
  readonly inFlightByModel: Readonly<Record<string, number>>;
  readonly spentToday: number;
  /** In the present order, which each grant of a lease may change. */
  readonly waiting: readonly QueuedTask[];
  /** Whether the arbiter is still reading the ledger, and grants nothing meanwhile. */
  readonly isLearning: boolean;
  /** Number of requests that the arbiter has not handled yet, for example because it reads the ledger. */
  readonly asking: number;
  /** Takes of unknown state, since their records are lost or damaged. */
  readonly unreadable: readonly string[];
}

/** How activities reach the account's arbiter. */
export interface ArbiterLine {
  /** Workflow id of the arbiter. */
  readonly arbiter: string;
  /** Requests a lease, and starts the arbiter if none runs. The arbiter answers the holder by a signal. */
  ask(ask: LeaseAsk): Promise<void>;
  /** Reports news of a lease. If no arbiter runs, the news is dropped: the next arbiter reads the ledger. */
  tell(news: LeaseNews): Promise<void>;
}
