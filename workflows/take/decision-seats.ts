import type { ApplicationFailure } from '@temporalio/workflow';
import { type Decision, NOT_PARKED } from '../../contracts/decision';
import { failure } from '../temporal/fail';
import type { ParkedRun } from './collect-task';

/**
 * The decision that was made and recorded.
 *
 * `unknown`: the ledger may have more than this workflow knows, and decides how the take goes on. `none`: nobody
 * decided before the patience ended.
 */
export type HandledDecision = Decision['kind'] | 'unknown' | 'none';

/** A parked take. Takes side by side may share it: the chosen take can answer for the first. */
export interface Seat {
  ran: ParkedRun;
  answer: HandledDecision;
  isDeciding: boolean;
  /** Number of takes that wait. */
  waiting: number;
}

/** The parked takes of a shot, by take number. */
export class DecisionSeats {
  readonly #seats = new Map<number, Seat>();

  all(): readonly Seat[] {
    return [...this.#seats.values()];
  }

  /** Begins to wait for a decision about the take. */
  join(ran: ParkedRun): Seat {
    const { take } = ran.ref;
    const seat: Seat = this.#seats.get(take) ?? { ran, answer: 'none', isDeciding: false, waiting: 0 };
    // The newest has seen most decisions. One that is being checked is about what was seen before.
    if (!seat.isDeciding) seat.ran = ran;
    seat.waiting += 1;
    this.#seats.set(take, seat);
    return seat;
  }

  /** Ends a wait. Returns whether the seat is to be removed: nobody waits for its answer any more. */
  leave(seat: Seat): boolean {
    seat.waiting -= 1;
    return seat.waiting === 0 || seat.answer !== 'none';
  }

  remove(seat: Seat): void {
    const { take } = seat.ran.ref;
    if (this.#seats.get(take) === seat) this.#seats.delete(take);
  }

  /** Returns the seat that is meant, or the refusal if that is not clear. */
  meant(take: number | null): Seat | ApplicationFailure {
    const waiting = this.all().filter(({ answer }) => answer === 'none');
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
}
