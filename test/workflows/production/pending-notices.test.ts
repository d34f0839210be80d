import { type Wait } from '../../../contracts/notice';
import { WaitBook } from '../../../workflows/production/pending-notices';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

function parked(shot: string, since = '1', take = 1): Wait {
  return { type: 'production.parked', shot, take, for: 'failed', since, command: '' };
}

const unpaid: Wait = { type: 'production.over-budget', shot: 'a', take: 1, for: 'budget', since: '1', command: '' };

/** Checks every second what waits then, and sends what is due. */
function play(seconds: number, waitsAt: (second: number) => readonly Wait[], charging = false) {
  const book = new WaitBook();
  const told = [];
  for (let second = 0; second <= seconds; second += 1) {
    const now = second * SECOND;
    book.see(waitsAt(second), { now, charging });
    if ((book.nextMs() ?? Infinity) <= now) told.push(...book.take(now).map((one) => ({ second, ...one })));
  }
  return told;
}

describe('when waits are reported', () => {
  it('reports waits that begin together in one notice', () => {
    const shots = Array.from({ length: 500 }, (_, index) => `shot-${index}`);
    const told = play(60, (second) => shots.slice(0, 100 * (second + 1)).map((shot) => parked(shot)));
    expect(told.map(({ second, waits }) => [second, waits.length])).toEqual([[5, 500]]);
  });

  it('does not report a wait that ends within seconds', () => {
    expect(play(60, (second) => (second < 5 ? [parked('a')] : []))).toEqual([]);
  });

  it('reports a state that flaps for an hour only a few times, and always the last wait', () => {
    const flapping = (second: number): readonly Wait[] =>
      second % 20 < 8 || second > 3_600 ? [parked('a', String(Math.floor(second / 20)))] : [];
    const told = play(3_600 + 600, flapping);
    expect(told.length).toBeLessThan(14);
    expect(told.length).toBeGreaterThan(4);
    expect(told.at(-1)?.second).toBeGreaterThan(3_600);
    expect(new Set(told.flatMap(({ what }) => what)).size).toBe(told.length);
  });

  it('reports each wait once, and another wait of the same shot separately', () => {
    const told = play(600, (second) => (second < 100 ? [parked('a')] : second < 120 ? [] : [parked('a', '2', 2)]));
    expect(told.map(({ second, what }) => [second, what])).toEqual([
      [5, ['a 1 failed 1']],
      [125, ['a 2 failed 1']],
    ]);
  });

  it('waits longer and longer between two notices, and starts over after a quiet time', () => {
    const begin: readonly (readonly [number, string])[] = [
      [0, 'a'],
      [6, 'b'],
      [16, 'c'],
      [600, 'd'],
      [606, 'e'],
    ];
    const told = play(700, (second) => begin.flatMap(([from, shot]) => (second < from ? [] : [parked(shot)])));
    expect(told.map(({ second }) => second)).toEqual([5, 15, 35, 605, 615]);
  });

  it('reports the budget at once if nothing under way can help, else after ten minutes', () => {
    expect(play(20, () => [unpaid]).map(({ second }) => second)).toEqual([5]);
    expect(play(660, () => [unpaid], true).map(({ second }) => second)).toEqual([600]);
  });

  it('reports the budget sooner when the tasks under way have ended', () => {
    const book = new WaitBook();
    book.see([unpaid], { now: 0, charging: true });
    expect(book.nextMs()).toBe(10 * MINUTE);
    book.see([unpaid], { now: MINUTE, charging: false });
    expect(book.nextMs()).toBeLessThanOrEqual(MINUTE);
  });
});
