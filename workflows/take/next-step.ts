import type { Permit, Reservation } from '../../contracts/money/budget';
import { PASSED_OVER } from '../../contracts/render/decision';
import type { TakeOutcome } from '../../contracts/workflows';
import { attemptKey } from './attempt-key';
import type { ParkedRun, TaskRun } from './collect-task';
import { isContentRefusal } from './failed-task';
import type { HeldPermit, PermitEnd, Sending, Step, TakeState } from './take-state';

/**
 * How long an unclear take waits for a decision before it reads the ledger again: the first wait and the second. A
 * worker that was suspended or could not write may record the gateway's answer late. Then the shot continues by itself.
 */
const LATE_ANSWERS = ['2 minutes', '60 minutes'] as const;

type UnleasedRun = Extract<TaskRun, { state: 'unleased' }>;

/**
 * Decides the next step of one take. The first row that applies is used; its steps follow one another.
 *
 * | how the last sending ended                             | next steps                                           |
 * | ------------------------------------------------------ | ---------------------------------------------------- |
 * | nothing was sent yet, or the take is to be sent again  | `send` with the permit and the lease, if held        |
 * | `unleased`, a lease is requested from the arbiter      | `wait-for-lease`, `send`; if preempted, as cancelled |
 * | `unleased`, something else delays the take             | `give-lease-back`, `send`                            |
 * | `unreserved`                                           | `close-lease`, `ask-budget`, `send` or `park`        |
 * | anything else                                          | `close-lease`, `close-permit`, then as below         |
 * | completed, failed for good, skipped, cancelled         | `end`                                                |
 * | parked; the shot continues without it, or is preempted | `end` as failed                                      |
 * | the task failed, and not because of its content        | `try-next`, while further takes are allowed          |
 * | unclear, and the file says `onUnclear: resubmit`       | `resubmit`, `send`; if the ledger refuses, `park`    |
 * | failed, overdue, uncollected; `onFailure` is not park  | `end` as failed                                      |
 * | parked otherwise                                       | `park`                                               |
 * | parked, then decided, allowed by the budget or renewed | `resume`; if the decision is to skip, `end`          |
 * | nobody decided in time                                 | `send`: the ledger may have an answer                |
 *
 * Preempted: the file's fallback replaces the shot. `close-lease` gives a lease back only if `isLeaseUnused`.
 *
 * A budget permit is kept while the take waits for credits or for the budget. It is returned if it was not passed on to
 * a sending, or if the take failed and surely nothing was paid. Otherwise it counts as used.
 */
export function nextStep(state: TakeState): Step {
  const { ran, stage } = state;
  if (ran === null) return { do: 'send', ...heldBy(state) };
  if (ran.state === 'unleased') return stepToLease(state, ran);
  if (stage === 'returned') return { do: 'close-lease', isUnused: isLeaseUnused(ran) };
  // The wait for a lease was cancelled or preempted, and the request was withdrawn.
  if (stage === 'lease-asked') return { do: 'close-lease', isUnused: false };
  if (ran.state === 'unreserved') {
    return { do: 'ask-budget', ran, replaced: replacedEnd(state.permit, ran.reservation) };
  }
  if (stage === 'lease-closed') return closePermit(state, ran);
  if (stage === 'budget-asked') return { do: 'close-permit', permit: 'kept', isSent: false };
  return ran.state === 'parked' ? stepOfParked(state, ran) : { do: 'end', outcome: outcomeOf(ran), permit: 'kept' };
}

/** Whether a parked take stops waiting without a decision. */
export function isWaitOver({ isSpare, permit, isRenewed }: TakeState): boolean {
  return isSpare || permit.is === 'allowed' || isRenewed;
}

function stepToLease(state: TakeState, { wanted, isAsked }: UnleasedRun): Step {
  if (!isAsked) return { do: 'give-lease-back' };
  const { lease, asked } = state.lease;
  if (state.stage === 'returned') {
    return { do: 'wait-for-lease', wanted, refused: lease, asked: lease === null ? asked + 1 : 1 };
  }
  if (state.isPreempted) return nextStep({ ...state, ran: { state: 'cancelled' } });
  return { do: 'send', ...heldBy(state) };
}

function stepOfParked(state: TakeState, ran: ParkedRun): Step {
  const { for: parkedFor, reason, take } = ran.parked;
  if (state.stage === 'decided') return stepAfterWait(state, ran);
  if (state.stage === 'closed') {
    if (state.isSpare) return endWithoutDecision(state, ran);
    if (parkedFor === 'failed' && state.furtherTakes > 0 && !isContentRefusal(reason)) {
      return { do: 'try-next', failed: take, ...heldBy(state) };
    }
    if (parkedFor === 'unclear' && state.rules.onUnclear === 'resubmit') return { do: 'resubmit', ran };
  }
  if (state.rules.onFailure !== 'park' && PASSED_OVER.has(parkedFor)) return endWithoutDecision(state, ran);
  return { do: 'park', ran, limit: parkedFor === 'unclear' ? LATE_ANSWERS[state.unclearParks] : undefined };
}

function stepAfterWait(state: TakeState, ran: ParkedRun): Step {
  const { reason, take } = ran.parked;
  const resume: Step = { do: 'resume', parked: take, ...heldBy(state) };
  switch (state.decision) {
    case 'cancelled':
      // The production itself settles the permits of the takes that it cancels.
      return {
        do: 'end',
        outcome: { ...NOTHING, state: 'cancelled', reason: `was parked: ${reason}`, take },
        permit: 'kept',
      };
    case 'skip':
      return {
        do: 'end',
        outcome: { ...NOTHING, state: 'skipped', reason: `skipped: ${reason}` },
        permit: permitEnd(state.permit),
      };
    case 'none':
      if (state.isPreempted || state.isSpare) return endWithoutDecision(state, ran);
      return isWaitOver(state) ? resume : { do: 'send', ...heldBy(state) };
    default:
      return resume;
  }
}

function heldBy({ permit, lease: { lease } }: TakeState): Sending {
  const isAllowed = permit.is === 'allowed' || permit.is === 'passed-on';
  return { permit: isAllowed ? permitOf(permit.reservation) : null, lease };
}

function permitOf({ takeKey, sending }: Reservation): Permit {
  return { takeKey, sending };
}

/** Whether the lease of the ended sending may be unused. */
function isLeaseUnused(ran: Exclude<TaskRun, UnleasedRun>): boolean {
  switch (ran.state) {
    case 'cancelled':
    case 'skipped':
    case 'unreserved':
      return true;
    case 'failed':
      return ran.take === null;
    case 'completed':
    case 'parked':
      return false;
  }
}

/** A task that was refused for lack of credits is sent again with the same permit. */
function closePermit({ permit }: TakeState, ran: TaskRun): Step {
  const lacksCredits = ran.state === 'parked' && ran.parked.for === 'credits';
  const isUnpaid = ran.state === 'failed' && ran.isUnpaid;
  const end = isUnpaid ? 'unused' : permitEnd(permit);
  return { do: 'close-permit', permit: lacksCredits ? 'kept' : end, isSent: ran.state !== 'cancelled' };
}

/** A permit that was passed on counts as used, since the gateway may charge for the sending. */
function permitEnd(permit: HeldPermit): PermitEnd {
  return permit.is === 'passed-on' ? 'used' : 'unused';
}

/** A permit that is requested again is kept: its withdrawal could arrive after the new request. */
function replacedEnd(permit: HeldPermit, wanted: Reservation): PermitEnd {
  const isRepeated =
    permit.is !== 'none' && permit.is !== 'passed-on' && attemptKey(permit.reservation) === attemptKey(wanted);
  return isRepeated ? 'kept' : permitEnd(permit);
}

const NOTHING = { reason: null, take: null, output: null };

function outcomeOf(ran: Exclude<TaskRun, { state: 'parked' | 'unreserved' | 'unleased' }>): TakeOutcome {
  switch (ran.state) {
    case 'completed':
      return { ...NOTHING, state: 'completed', take: ran.take, output: ran.output };
    case 'failed':
      return { ...NOTHING, state: 'failed', reason: ran.reason, take: ran.take };
    case 'skipped':
      return { ...NOTHING, state: 'skipped', reason: ran.reason };
    case 'cancelled':
      return { ...NOTHING, state: 'cancelled' };
  }
}

/** Ends a parked take as failed, without a decision in the ledger. */
function endWithoutDecision({ permit }: TakeState, { parked }: ParkedRun): Step {
  const { for: parkedFor, reason, take } = parked;
  const isLeft = take.taskId !== null && (parkedFor === 'overdue' || parkedFor === 'uncollected');
  const outcome = { ...NOTHING, state: 'failed', reason, take, ...(isLeft ? { isLeft } : {}) } as const;
  return { do: 'end', outcome, permit: permitEnd(permit) };
}
