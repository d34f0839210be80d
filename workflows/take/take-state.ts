import type { AskedLease, Lease } from '../../contracts/gateway/arbiter';
import type { Permit, Reservation } from '../../contracts/money/budget';
import type { TakeProgress } from '../../contracts/render/take';
import type { GenerateInput, TakeOutcome } from '../../contracts/workflows';
import type { ParkedRun, TaskRun } from './collect-task';
import type { HandledDecision } from './decision-seats';

export type UnreservedRun = Extract<TaskRun, { state: 'unreserved' }>;

/** The facts that decide the next step of a take. */
export interface TakeState {
  /** How the last sending ended; null if the take is to be sent. */
  readonly ran: TaskRun | null;
  /** The last step since the last sending ended; `returned` if there was none. Values are in the order of the steps. */
  readonly stage:
    'returned' | 'lease-asked' | 'lease-closed' | 'budget-asked' | 'closed' | 'not-resubmitted' | 'decided';
  /** The decision about a parked take; null before the decision. */
  readonly decision: HandledDecision | 'cancelled' | null;
  readonly permit: HeldPermit;
  readonly lease: HeldLease;
  readonly attempt: number;
  /** Number of takes that may still follow a failed take automatically. */
  readonly furtherTakes: number;
  /** Number of times that the take was parked as unclear, with a time limit, since it last resumed. */
  readonly unclearParks: number;
  readonly rules: Pick<GenerateInput, 'onUnclear' | 'onFailure'>;
  /** The shot continues without this parked take. */
  readonly isSpare: boolean;
  /** The shot ends because its fallback replaces it. */
  readonly isPreempted: boolean;
  /** A take that waits for credits is to be tried again. */
  readonly isRenewed: boolean;
}

/** The budget's answer. `passed-on`: the permit was given to a sending, which may have used it. */
export type HeldPermit =
  { readonly is: 'none' } | { readonly is: 'waiting' | 'allowed' | 'passed-on'; readonly reservation: Reservation };

export interface HeldLease {
  /** Null if none is granted. */
  readonly lease: Lease | null;
  /** Workflow id of the arbiter that was asked for the lease. */
  readonly arbiter: string | undefined;
  /** Number of requests since the last lease. */
  readonly asked: number;
}

export const NO_PERMIT: HeldPermit = { is: 'none' };
export const NO_LEASE: HeldLease = { lease: null, arbiter: undefined, asked: 0 };

/**
 * What becomes of a take's permit. `used`: the gateway may charge for the sending. `unused`: the permit is returned to
 * the budget. `kept`: the take still holds the permit.
 */
export type PermitEnd = 'used' | 'unused' | 'kept';

export interface Sending {
  readonly permit: Permit | null;
  readonly lease: Lease | null;
}

export type Step =
  | ({ readonly do: 'send' } & Sending)
  /** Send the next take in place of a failed take. */
  | ({ readonly do: 'try-next'; readonly failed: TakeProgress } & Sending)
  /** Send a take that was parked. */
  | ({ readonly do: 'resume'; readonly parked: TakeProgress } & Sending)
  /** `refused`: the held lease, which no longer allows the sending. `asked`: number of requests, with this one. */
  | {
      readonly do: 'wait-for-lease';
      readonly wanted: AskedLease;
      readonly refused: Lease | null;
      readonly asked: number;
    }
  /** Something else delays this take, so other takes may use its lease. */
  | { readonly do: 'give-lease-back' }
  /** The sending has ended, and so has its lease. An unused lease is given back. */
  | { readonly do: 'close-lease'; readonly isUnused: boolean }
  /** `replaced`: what becomes of the permit that the take holds now. */
  | { readonly do: 'ask-budget'; readonly ran: UnreservedRun; readonly replaced: PermitEnd }
  /** The sending has ended. `isSent`: false if the take was cancelled unsent, or the budget does not allow it yet. */
  | { readonly do: 'close-permit'; readonly permit: PermitEnd; readonly isSent: boolean }
  /** Record the decision of the file's `onUnclear`. */
  | { readonly do: 'resubmit'; readonly ran: ParkedRun }
  /** Wait for a decision; without a limit if `limit` is undefined. */
  | { readonly do: 'park'; readonly ran: ParkedRun; readonly limit: `${number} minutes` | undefined }
  | { readonly do: 'end'; readonly outcome: TakeOutcome; readonly permit: PermitEnd };

export type StepOf<Do extends Step['do']> = Extract<Step, { do: Do }>;
export type SendingStep = StepOf<'send' | 'try-next' | 'resume'>;

export function firstState({ task, retryFailed, onUnclear, onFailure }: GenerateInput): TakeState {
  return {
    ran: null,
    stage: 'returned',
    decision: null,
    permit: NO_PERMIT,
    lease: NO_LEASE,
    attempt: task.attempt,
    furtherTakes: retryFailed,
    unclearParks: 0,
    rules: { onUnclear, onFailure },
    isSpare: false,
    isPreempted: false,
    isRenewed: false,
  };
}

/** The state in which a sending begins. */
export function begun(state: TakeState, step: SendingStep): TakeState {
  const { attempt, furtherTakes, permit } = state;
  return {
    ...state,
    ...(step.do === 'try-next' ? { attempt: attempt + 1, furtherTakes: furtherTakes - 1 } : {}),
    ...(step.do === 'resume' ? { unclearParks: 0 } : {}),
    permit: step.permit === null || permit.is === 'none' ? permit : { ...permit, is: 'passed-on' },
  };
}

/** A take that parks because the budget does not allow it yet; null if the budget allows it. */
export function parkedForBudget(reason: string | null, { take, ref, decisions }: UnreservedRun): ParkedRun | null {
  return reason === null ? null : { state: 'parked', parked: { for: 'budget', reason, take }, ref, decisions };
}

/** The state after a cancellation during a step. */
export function interrupted(state: TakeState, during: Step['do']): TakeState {
  if (during === 'park') return { ...state, decision: 'cancelled' };
  return { ...state, ran: { state: 'cancelled' }, stage: during === 'wait-for-lease' ? 'lease-asked' : state.stage };
}
