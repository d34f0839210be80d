import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  patched,
  setHandler,
} from '@temporalio/workflow';
import type { TakeOutput } from '../../contracts/activities';
import { ANSWERS, type Decision } from '../../contracts/render/decision';
import type { Parked } from '../../contracts/workflows';
import { reasonOf } from '../temporal/activity-failures';
import { decisionActivities, preparingActivities } from '../temporal/activity-options';
import type { ParkedRun } from './collect-task';
import { DecisionSeats, type HandledDecision, type Seat } from './decision-seats';
import { failure } from '../temporal/fail';
import { resolveShotUpdate } from '../messages';

/** The bounds of a parked take's wait. */
export interface DecisionWait {
  /** Undefined: without limit. */
  readonly limit: `${number} minutes` | undefined;
  /** Whether no decision is needed any more. */
  readonly isOver: () => boolean;
}

/** Lets parked takes wait for a person's decision. */
export interface DecisionHandler {
  /** Waits for a decision about the take, within `bounds`. Rejects if the take is cancelled. */
  waitFor(ran: ParkedRun, bounds: DecisionWait): Promise<HandledDecision>;
  parked(): readonly Parked[];
  /**
   * To be called when a take of the shot is chosen, or when all the shot's takes have ended. Before that, a decision
   * about a take that is not parked is refused with `NOT_PARKED`, and clients repeat it, since the take may soon be
   * parked. From then on it is refused with `NOT_AWAITED`, and clients do not repeat it.
   */
  takeChosen(): void;
}

/** Registers the update by which people decide. To be called before anything is awaited. */
export function openDecisionHandler(): DecisionHandler {
  const seats = new DecisionSeats();

  setHandler(
    resolveShotUpdate,
    async (decision: Decision, take: number | null) => {
      const seat = seats.find(take);
      if (seat instanceof ApplicationFailure) throw seat;
      seat.isDeciding = true;
      try {
        await record(seat, decision);
        return true;
      } finally {
        seat.isDeciding = false;
      }
    },
    {
      validator: (decision: Decision, take: number | null) => {
        const seat = seats.find(take);
        if (seat instanceof ApplicationFailure) throw seat;
        const reason = objectionTo(decision, seat);
        if (reason !== undefined) throw failure('DecisionRefused', reason);
      },
    },
  );

  return {
    parked: () => seats.all().map(({ ran }) => ran.parked),
    takeChosen: () => {
      seats.takeChosen();
    },
    async waitFor(ran, { limit, isOver }) {
      const seat = seats.join(ran);
      // A decision that is being recorded takes precedence over all other ends of the wait.
      const isAnswered = (): boolean => seat.answer !== 'none' || (!seat.isDeciding && isOver());
      const isIdle = (): boolean => !seat.isDeciding;
      try {
        if (limit === undefined) await condition(isAnswered);
        else await condition(isAnswered, limit);
        await condition(isIdle);
        return seat.answer;
      } catch (error) {
        // The take is cancelled. A person who has just decided still gets an answer.
        await CancellationScope.nonCancellable(() => condition(isIdle));
        throw error;
      } finally {
        // Several siblings may wait for a decision about the same take. An unanswered seat stays until the last one
        // leaves; in histories of older versions, until the first one leaves.
        if (seats.leave(seat) || !patched('seat-kept-for-others')) seats.remove(seat);
      }
    },
  };
}

function objectionTo(decision: Decision, { ran, isDeciding }: Seat): string | undefined {
  if (isDeciding) return 'another decision is being checked';
  const answers = ANSWERS[ran.parked.for];
  if (answers.includes(decision.kind)) return undefined;
  return `a shot that is parked as ${ran.parked.for} can be answered with ${answers.join(', ')}, not with ${decision.kind}`;
}

/**
 * Checks and records the decision.
 *
 * @throws DecisionRefused with the reason.
 */
async function record(seat: Seat, decision: Decision): Promise<void> {
  const output = await prepare(decision);
  const { parked, ref, decisions: seen } = seat.ran;
  try {
    const recorded = await decisionActivities('person').decide({
      take: ref,
      seen,
      parkedFor: parked.for,
      decision,
      by: 'person',
      output,
      taskId: parked.take.taskId,
    });
    if (recorded.recorded) seat.answer = decision.kind;
    else {
      if (recorded.isOutdated) seat.answer = 'unknown';
      throw failure('DecisionRefused', recorded.reason);
    }
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    // A worker may have recorded the decision, and then failed to report this.
    seat.answer = 'unknown';
    throw failure(
      'DecisionRefused',
      `it is unknown whether the decision was recorded: ${reasonOf(error)}. The shot continues as the ledger says; ` +
        'look at its status before you decide again',
    );
  }
}

/**
 * Prepares the user's own clip as a take's output, with frames cut from the clip; null unless the decision is `use`.
 *
 * @throws DecisionRefused with the reason.
 */
async function prepare(decision: Decision): Promise<TakeOutput | null> {
  if (decision.kind !== 'use') return null;
  try {
    return await preparingActivities().prepareClip({ asset: decision.asset });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    throw failure('DecisionRefused', `the clip cannot be used, and nothing has changed: ${reasonOf(error)}`);
  }
}
