import type { ParkedFor } from '../../../contracts/render/decision';
import type { TakeProgress } from '../../../contracts/render/take';
import type { Parked } from '../../../contracts/workflows';
import { type ShotSummary, summaryOf } from '../../../workflows/shot/shot-summary';

describe('the state of a shot by its takes', () => {
  const take = (number: number, state: TakeProgress['state'] = 'failed'): TakeProgress => ({
    take: number,
    takeKey: String(number),
    state,
    taskId: null,
    credits: null,
    asset: null,
    firstFrame: null,
    lastFrame: null,
    warnings: [],
  });
  const parked = (number: number, why: ParkedFor = 'failed'): Parked => ({
    for: why,
    reason: `reason ${number}`,
    take: take(number),
  });
  const completed = take(9, 'completed');

  type Row = [
    string,
    { open: readonly (Parked | null)[]; known: number; choice?: boolean },
    Omit<ShotSummary, 'takesUnderWay' | 'waitsForBudget'> & { takesUnderWay?: number; waitsForBudget?: boolean },
  ];
  const rendering = { state: 'rendering', reason: null, parkedFor: null, filmTake: null } as const;

  it.each<Row>([
    ['renders while one take is under way', { open: [parked(1), null], known: 2 }, { ...rendering, takesUnderWay: 1 }],
    [
      'parks with the reason of its only take',
      { open: [parked(1)], known: 1 },
      { ...rendering, state: 'parked', reason: 'reason 1', parkedFor: 'failed' },
    ],
    [
      'names a parked take that is not the newest',
      { open: [parked(1)], known: 2 },
      {
        ...rendering,
        state: 'parked',
        reason: 'reason 1',
        parkedFor: 'failed',
        parkedTakes: [{ take: 1, for: 'failed' }],
      },
    ],
    [
      'gives the reason that only a person can answer before the budget, and names all takes in order',
      { open: [parked(2, 'unclear'), parked(1, 'budget')], known: 2 },
      {
        ...rendering,
        state: 'parked',
        reason: 'take 1: waits for the budget; take 2: reason 2',
        parkedFor: 'unclear',
        parkedTakes: [
          { take: 1, for: 'budget' },
          { take: 2, for: 'unclear' },
        ],
        waitsForBudget: true,
      },
    ],
    [
      'is in review with the takes that can be approved, and says which ones are parked',
      { open: [parked(1)], known: 1, choice: true },
      { ...rendering, state: 'review', reason: 'take 1: reason 1', filmTake: 9, reviewTakes: [9] },
    ],
    [
      'is not parked after its choice is final',
      { open: [parked(1)], known: 1, choice: false },
      { ...rendering, filmTake: 9 },
    ],
  ])('%s', (_, { open, known, choice }, expected) => {
    const takes = Array.from({ length: known }, (_take, index) => take(index + 1));
    const standing = summaryOf({
      takes: new Map([...takes, ...(choice === undefined ? [] : [completed])].map((one) => [one.take, one])),
      open: new Map(open.map((one, sibling) => [sibling, one])),
      choice: choice === undefined ? null : { take: completed, isInReview: choice },
    });
    expect(standing).toEqual({ takesUnderWay: 0, waitsForBudget: false, ...expected });
  });
});
