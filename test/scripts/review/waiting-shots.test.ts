import { type ManifestShot } from '../../../contracts/manifest';
import { type ProductionStatus, type ShotStatus } from '../../../contracts/status';
import { waitingShots } from '../../../scripts/review/waiting-shots';

const AT = '2026-01-01T00:00:00.000Z';

const takes = (...numbers: readonly number[]): ShotStatus['takes'] =>
  numbers.map((take) => ({ take, state: 'completed', asset: {} })) as unknown as ShotStatus['takes'];

function waiting(state: ProductionStatus['state'], shot: Partial<ShotStatus>) {
  const whole = { id: 'dawn', review: null, filmTake: null, takes: [], ...shot } as unknown as ShotStatus;
  return waitingShots({ state, shots: [whole] }, { shots: [{ ...whole, pruned: null } as unknown as ManifestShot] });
}

describe('the shots that wait for a review', () => {
  const inReview = { state: 'review', review: { since: AT, takesUnderWay: 0 } } as const;

  it('are those in review, with the chosen take', () => {
    const one = { ...inReview, filmTake: 2, takes: takes(3, 1, 2) };
    expect(waiting('running', one)).toEqual([{ id: 'dawn', for: 'approval', takes: [1, 2, 3], firstShown: 2 }]);
  });

  it('are those without a chosen take that have paid takes', () => {
    const one = { state: 'failed', takes: takes(1, 2) } as const;
    expect(waiting('incomplete', one)).toEqual([{ id: 'dawn', for: 'choice', takes: [1, 2], firstShown: 2 }]);
  });

  it.each<[string, ProductionStatus['state'], Partial<ShotStatus>]>([
    ['whose render has ended', 'cancelled', { ...inReview, filmTake: 1, takes: takes(1) }],
    ['that have no take to look at', 'running', { state: 'failed', takes: [] }],
    ['that are done', 'running', { state: 'completed', filmTake: 1, takes: takes(1) }],
    ['that are parked: nothing of them is to be looked at', 'running', { state: 'parked', takes: takes(1) }],
  ])('are none %s', (_, state, shot) => {
    expect(waiting(state, shot)).toEqual([]);
  });
});
