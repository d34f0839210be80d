import type { ApplicationFailure } from '@temporalio/workflow';
import { type Decision, NOT_AWAITED, NOT_PARKED } from '../../contracts/render/decision';
import { failure } from '../temporal/fail';
import type { ParkedRun } from './collect-task';

/**
 * The kind of the recorded decision.
 *
 * `unknown`: the ledger may have a decision that this workflow has not seen. The take continues as the ledger says.
 * `none`: nobody has decided.
 */
export type HandledDecision = Decision['kind'] | 'unknown' | 'none';

/**
 * A parked take, and its decision. A shot makes several takes by parallel calls of `runTake`, which are named siblings.
 * Usually each sibling waits for a decision about its own take. Siblings can share a chosen take (see `claimTake`), and
 * then wait for the same decision.
 */
export interface Seat {
  ran: ParkedRun;
  answer: HandledDecision;
  isDeciding: boolean;
  /** Number of siblings that wait for a decision about this take. */
  waiting: number;
}

/** The parked takes of a shot, by take number. */
export class DecisionSeats {
  readonly #seats = new Map<number, Seat>();
  #isTakeChosen = false;

  all(): readonly Seat[] {
    return [...this.#seats.values()];
  }

  /** See `DecisionHandler.takeChosen`. */
  takeChosen(): void {
    this.#isTakeChosen = true;
  }

  /** Begins to wait for a decision about the take. */
  join(ran: ParkedRun): Seat {
    const { take } = ran.ref;
    const seat: Seat = this.#seats.get(take) ?? { ran, answer: 'none', isDeciding: false, waiting: 0 };
    // The newest run has seen the most decisions. While a decision is being checked, the seat keeps the run that the
    // decision is about.
    if (!seat.isDeciding) seat.ran = ran;
    seat.waiting += 1;
    this.#seats.set(take, seat);
    return seat;
  }

  /** Ends a wait. True if the seat is to be removed: it is answered, or no sibling waits for it any more. */
  leave(seat: Seat): boolean {
    seat.waiting -= 1;
    return seat.waiting === 0 || seat.answer !== 'none';
  }

  remove(seat: Seat): void {
    const { take } = seat.ran.ref;
    if (this.#seats.get(take) === seat) this.#seats.delete(take);
  }

  /** Returns the seat that a decision is about, or a failure with the reason why there is none. */
  find(take: number | null): Seat | ApplicationFailure {
    const waiting = this.all().filter(({ answer }) => answer === 'none');
    const numbers = waiting
      .map(({ ran }) => ran.ref.take)
      .toSorted((a, b) => a - b)
      .join(', ');
    const found = take === null ? waiting[0] : waiting.find(({ ran }) => ran.ref.take === take);
    if (found === undefined && this.#isTakeChosen) {
      return failure('DecisionRefused', 'the shot needs no more decisions', NOT_AWAITED);
    }
    if (waiting.length === 0) {
      return failure('DecisionRefused', 'the shot is not parked; there is nothing to decide', NOT_PARKED);
    }
    if (take === null && waiting.length > 1) {
      return failure('DecisionRefused', `takes ${numbers} are parked; name one of them`);
    }
    return (
      found ?? failure('DecisionRefused', `take ${take ?? ''} is not parked; parked takes: ${numbers}`, NOT_PARKED)
    );
  }
}
