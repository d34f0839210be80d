import { ActivityFailure, ApplicationFailure, CancellationScope, condition, setHandler } from '@temporalio/workflow';
import type { TakeOutput } from '../../contracts/activities';
import { ANSWERS, type Decision, NOT_PARKED } from '../../contracts/decision';
import type { Parked } from '../../contracts/workflows';
import { reasonOf } from '../temporal/activity-failures';
import { decisionActivities, preparingActivities } from '../temporal/activity-options';
import type { ParkedRun } from './collect-task';
import { failure } from '../temporal/fail';
import { resolveShotUpdate } from '../messages';

/**
 * The decision that was made and recorded.
 *
 * `unknown`: the ledger may have more than this workflow knows, and decides how the take goes on. `none`: nobody
 * decided before the patience ended.
 */
export type HandledDecision = Decision['kind'] | 'unknown' | 'none';

/** How long a parked take waits. */
export interface Patience {
  /** Undefined: without limit. */
  readonly limit: `${number} minutes` | undefined;
  /** Whether no decision is needed any more. */
  readonly isOver: () => boolean;
}

/** Lets parked takes wait for a person at no cost. */
export interface DecisionHandler {
  /** Parks until somebody decides or the patience ends. */
  waitFor(ran: ParkedRun, patience: Patience): Promise<HandledDecision>;
  parked(): readonly Parked[];
}

/** Registers the update by which people decide. To be called before anything is awaited. */
export function openDecisionHandler(): DecisionHandler {
  /** By take number. */
  const seats = new Map<number, Seat>();

  /** Returns the seat that is meant, or the refusal if that is not clear. */
  function seatFor(take: number | null): Seat | ApplicationFailure {
    const waiting = [...seats.values()].filter(({ answer }) => answer === 'none');
    const numbers = waiting
      .map(({ ran }) => ran.ref.take)
      .toSorted((a, b) => a - b)
      .join(', ');
    if (waiting.length === 0) {
      return failure('DecisionRefused', 'the shot is not parked; there is nothing to decide', NOT_PARKED);
    }
    if (take === null && waiting.length > 1) {
      return failure('DecisionRefused', `takes ${numbers} are parked; name the one that is meant`);
    }
    const meant = take === null ? waiting[0] : waiting.find(({ ran }) => ran.ref.take === take);
    return meant ?? failure('DecisionRefused', `take ${take ?? ''} is not parked; parked is ${numbers}`, NOT_PARKED);
  }

  setHandler(
    resolveShotUpdate,
    async (decision: Decision, take: number | null) => {
      const seat = seatFor(take);
      if (seat instanceof ApplicationFailure) throw seat;
      seat.isDeciding = true;
      try {
        await note(seat, decision);
        return true;
      } finally {
        seat.isDeciding = false;
      }
    },
    {
      validator: (decision: Decision, take: number | null) => {
        const seat = seatFor(take);
        if (seat instanceof ApplicationFailure) throw seat;
        const reason = objectionTo(decision, seat);
        if (reason !== undefined) throw failure('DecisionRefused', reason);
      },
    },
  );

  return {
    parked: () => [...seats.values()].map(({ ran }) => ran.parked),
    async waitFor(ran, { limit, isOver }) {
      const { take } = ran.ref;
      // Two takes side by side may wait for the same one: the chosen take can answer for the first.
      const seat: Seat = seats.get(take) ?? { ran, answer: 'none', isDeciding: false };
      seats.set(take, seat);
      // A decision that is being recorded is awaited, and takes precedence over everything else that ends the wait.
      const isAnswered = (): boolean => seat.answer !== 'none' || (!seat.isDeciding && isOver());
      const isQuiet = (): boolean => !seat.isDeciding;
      try {
        if (limit === undefined) await condition(isAnswered);
        else await condition(isAnswered, limit);
        await condition(isQuiet);
        return seat.answer;
      } catch (error) {
        // Cancelled: the person who has just decided gets the answer first.
        await CancellationScope.nonCancellable(() => condition(isQuiet));
        throw error;
      } finally {
        if (seats.get(take) === seat) seats.delete(take);
      }
    },
  };
}

interface Seat {
  readonly ran: ParkedRun;
  answer: HandledDecision;
  isDeciding: boolean;
}

function objectionTo(decision: Decision, { ran, isDeciding }: Seat): string | undefined {
  if (isDeciding) return 'another decision is being checked';
  const answers = ANSWERS[ran.parked.for];
  if (answers.includes(decision.kind)) return undefined;
  return `a shot that is parked as ${ran.parked.for} takes ${answers.join(', ')}, not ${decision.kind}`;
}

/**
 * Has the decision checked and recorded.
 *
 * @throws DecisionRefused with the reason.
 */
async function note(seat: Seat, decision: Decision): Promise<void> {
  const output = await prepare(decision);
  const { parked, ref, decisions: seen } = seat.ran;
  try {
    const noted = await decisionActivities('person').decide({
      take: ref,
      seen,
      parkedFor: parked.for,
      decision,
      by: 'person',
      output,
      taskId: parked.take.taskId,
    });
    if (noted.recorded) seat.answer = decision.kind;
    else {
      if (noted.isOutdated) seat.answer = 'unknown';
      throw failure('DecisionRefused', noted.reason);
    }
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    // A worker may have recorded it and failed to answer.
    seat.answer = 'unknown';
    throw failure(
      'DecisionRefused',
      `nobody can say whether it was noted: ${reasonOf(error)}. The shot goes on by what the ledger has; ` +
        'look at where it stands before you decide again',
    );
  }
}

/** Returns the user's own clip with the frames that a take would have. */
async function prepare(decision: Decision): Promise<TakeOutput | null> {
  if (decision.kind !== 'use') return null;
  try {
    return await preparingActivities().prepareClip({ asset: decision.asset });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    throw failure('DecisionRefused', `the clip cannot be used, and nothing has changed: ${reasonOf(error)}`);
  }
}
