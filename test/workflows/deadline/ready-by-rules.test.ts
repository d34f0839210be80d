import {
  lastMomentMs,
  type Prospect,
  untimedModels,
  urgentAtMs,
  warningOf,
} from '../../../workflows/deadline/ready-by-rules';

const MINUTE = 60_000;

describe('work that is to be ready by a time', () => {
  it('starts with a margin, and is urgent twice as early as it has to start', () => {
    expect(lastMomentMs(100 * MINUTE, 10 * MINUTE)).toBe(88 * MINUTE);
    expect(lastMomentMs(100 * MINUTE, 1_000)).toBe(100 * MINUTE - 11_000);
    expect(urgentAtMs(100 * MINUTE, 10 * MINUTE)).toBe(80 * MINUTE);
  });

  it('does not count on models whose usual time is unknown', () => {
    expect(untimedModels(['clip', 'other'], { clip: MINUTE })).toEqual(['other']);
  });

  const well: Prospect = {
    ...{ nowMs: 0, atMs: MINUTE, isOpen: true, hasFallback: true },
    ...{ late: null, overdue: null, untimed: [] },
  };
  it.each<[string | null, Partial<Prospect>]>([
    [null, {}],
    [null, { isOpen: false, nowMs: 2 * MINUTE, untimed: ['m'] }],
    ['the time has passed', { nowMs: 2 * MINUTE, late: ['a'], hasFallback: false }],
    ['it may be late, and its file names no fallback: a, b', { late: ['a', 'b'], overdue: ['a'], hasFallback: false }],
    ['it may be late, and its file names no fallback', { late: [], hasFallback: false }],
    [null, { late: ['a'] }],
    ['it may be late: a', { late: ['a', 'b'], overdue: ['a'], untimed: ['m'] }],
    ['it may be late', { late: [], overdue: [] }],
    ['how long tasks of m, n take is not known yet', { untimed: ['m', 'n'] }],
  ])('warns: %s', (words, changes) => {
    expect(warningOf({ ...well, ...changes })).toBe(words);
  });
});
