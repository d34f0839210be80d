import { type ApplicationFailure } from '@temporalio/common';
import { NOT_PARKED, type ParkedFor } from '../../../contracts/render/decision';
import { type ParkedRun } from '../../../workflows/take/collect-task';
import { DecisionSeats, type Seat } from '../../../workflows/take/decision-seats';

function parked(take: number, decisions = 0, parkedFor: ParkedFor = 'unclear'): ParkedRun {
  const progress = { take } as unknown as ParkedRun['parked']['take'];
  const ref = { productionId: 'film', shotId: 'dawn', take, takeKey: `key ${take}`, model: { id: 'm' } };
  return { state: 'parked', parked: { for: parkedFor, reason: 'a reset', take: progress }, ref, decisions };
}

function leave(seats: DecisionSeats, seat: Seat): void {
  if (seats.leave(seat)) seats.remove(seat);
}

describe('the parked takes of a shot', () => {
  it('are decided by number, or without one if there is only one', () => {
    const seats = new DecisionSeats();
    expect(seats.find(null)).toMatchObject({ message: 'the shot is not parked; there is nothing to decide' });
    const two = seats.join(parked(2));
    expect(seats.find(null)).toBe(two);
    const one = seats.join(parked(1));
    expect(seats.find(null)).toMatchObject({ message: 'takes 1, 2 are parked; name one of them' });
    expect(seats.find(1)).toBe(one);
    expect(seats.find(3)).toMatchObject({ message: 'take 3 is not parked; parked takes: 1, 2' });
  });

  it('need no decision once a take of the shot is chosen, so that nobody waits until they park', () => {
    const seats = new DecisionSeats();
    const beforeChoice = seats.find(2) as ApplicationFailure;
    expect(beforeChoice.details).toContain(NOT_PARKED);
    const overBudget = seats.join(parked(1, 0, 'budget'));
    seats.takeChosen();
    expect(seats.find(null)).toBe(overBudget);
    const refusal = seats.find(2) as ApplicationFailure;
    expect(refusal.message).toBe('the shot needs no more decisions');
    expect(refusal.details ?? []).not.toContain(NOT_PARKED);
  });

  it('can be decided for the second take that waits for the same one, after the first stopped waiting', () => {
    const seats = new DecisionSeats();
    const first = seats.join(parked(1));
    const second = seats.join(parked(1));
    leave(seats, first);
    expect(seats.find(1)).toBe(second);
    // The first looked at the ledger and waits again.
    expect(seats.join(parked(1))).toBe(second);
    leave(seats, second);
    expect(seats.all()).toEqual([second]);
    leave(seats, second);
    expect(seats.all()).toEqual([]);
  });

  it('are decided in view of what the newest of them saw', () => {
    const seats = new DecisionSeats();
    const seat = seats.join(parked(1, 0, 'unclear'));
    seats.join(parked(1, 1, 'overdue'));
    expect(seat.ran).toMatchObject({ decisions: 1, parked: { for: 'overdue' } });
  });

  it('keep what a decision is being checked for', () => {
    const seats = new DecisionSeats();
    const seat = seats.join(parked(1, 0));
    seat.isDeciding = true;
    seats.join(parked(1, 1));
    expect(seat.ran.decisions).toBe(0);
  });

  it('are over for all who wait when they are decided', () => {
    const seats = new DecisionSeats();
    const seat = seats.join(parked(1));
    seats.join(parked(1));
    seat.answer = 'resubmit';
    leave(seats, seat);
    expect(seats.all()).toEqual([]);
  });
});
