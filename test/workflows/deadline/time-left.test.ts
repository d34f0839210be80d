import { lastMomentsMs, pathsMs, type Remaining, urgentFromMs } from '../../../workflows/deadline/time-left';
import { betaShot, film, linkedShot, planOf } from '../../support/rig';

const MODEL = 'beta-2.5';
const MINUTE = 60_000;

describe('the time that a production still needs', () => {
  const chain = film('chain', [betaShot('a'), linkedShot('b', 'a'), linkedShot('c', 'b'), betaShot('d')]);
  const ids = chain.shots.map(({ id }) => id);
  const left = (changes: Partial<Remaining> = {}): Remaining => ({
    plan: planOf(chain),
    open: new Set(ids),
    unsent: new Set(ids),
    slow: { [MODEL]: MINUTE },
    limits: { account: {}, models: {} },
    ...changes,
  });

  it('is that of the longest chain that continues from a shot', () => {
    expect([...pathsMs(left()).entries()]).toEqual(
      expect.arrayContaining([
        ['a', 3 * MINUTE],
        ['b', 2 * MINUTE],
        ['c', MINUTE],
        ['d', MINUTE],
      ]),
    );
  });

  it('counts a completed shot as nothing', () => {
    expect(pathsMs(left({ open: new Set(['b', 'c']) })).get('a')).toBe(2 * MINUTE);
  });

  it('is unknown if the duration of one model of the chain is', () => {
    const unknown = left({ slow: {} });
    expect(lastMomentsMs(0, unknown).get('a')).toBeNull();
    expect(urgentFromMs(0, unknown)).toBeNull();
  });

  it('is no less than the time of the unsent shots, as many at once as the plan allows', () => {
    const oneByOne = left({ plan: planOf(chain, { maxInFlight: 1 }) });
    expect(lastMomentsMs(10 * MINUTE, oneByOne, { margin: false }).get('d')).toBe(6 * MINUTE);
    expect(lastMomentsMs(10 * MINUTE, left(), { margin: false }).get('d')).toBe(9 * MINUTE);
  });

  it.each([
    ['tasks in flight', { account: { inFlight: 2 }, models: {} }, 2 * MINUTE],
    [
      'tasks of its model in flight',
      { account: {}, models: { [MODEL]: { inFlight: 1 }, other: { inFlight: 1 } } },
      4 * MINUTE,
    ],
    ['submits per minute', { account: { perMinute: 1 }, models: {} }, 4 * MINUTE],
    ['submits per second', { account: { perSecond: 0.02 }, models: {} }, 200_000],
  ])("is no less than what the account's limit allows: %s", (_limit, limits, leftMs) => {
    expect(lastMomentsMs(10 * MINUTE, left({ limits }), { margin: false }).get('d')).toBe(10 * MINUTE - leftMs);
  });

  it('leaves a margin, and makes the production urgent twice as early', () => {
    expect(lastMomentsMs(10 * MINUTE, left()).get('a')).toBe(10 * MINUTE - 3 * MINUTE - 0.2 * 3 * MINUTE);
    expect(lastMomentsMs(10 * MINUTE, left()).get('d')).toBe(10 * MINUTE - MINUTE - 12_000);
    expect(urgentFromMs(10 * MINUTE, left())).toBe(4 * MINUTE);
  });
});
