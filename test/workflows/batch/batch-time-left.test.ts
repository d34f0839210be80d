import { type RowPace } from '../../../contracts/render/batch-time';
import { batchLeftMs, type BatchRemaining, NO_PACE, paceAfter } from '../../../workflows/batch/batch-time-left';

const MINUTE = 60_000;

describe('the time that a batch still needs', () => {
  const left = (changes: Partial<BatchRemaining> = {}): number | null =>
    batchLeftMs({
      ...{ open: { clip: 40 }, begun: {}, left: 40, parallel: 4, slow: { clip: MINUTE }, pace: NO_PACE },
      ...changes,
    });
  /** The pace if rows have ended at these times. */
  const pace = (parallel: number, ...ends: readonly number[]): RowPace =>
    ends.reduce((known, atMs, index) => paceAfter(known, { ended: index + 1, atMs }, parallel), NO_PACE);

  it('is the time of the rows that have not begun, as many at once as the batch allows', () => {
    expect(left()).toBe(10 * MINUTE);
    expect(left({ begun: { clip: 36 }, left: 8 })).toBe(MINUTE);
    expect(left({ open: { clip: 8, still: 8 }, slow: { clip: MINUTE, still: 2 * MINUTE } })).toBe(6 * MINUTE);
  });

  it('is no less than the time of the slowest task', () => {
    expect(left({ begun: { clip: 40 }, left: 1 })).toBe(MINUTE);
  });

  it('leaves out models of unknown duration, and is unknown if all are', () => {
    const mixed = { clip: 40, other: 100 };
    expect(left({ open: mixed })).toBe(10 * MINUTE);
    expect(left({ slow: {} })).toBeNull();
    expect(left({ open: {} })).toBeNull();
  });

  it('follows the pace of the rows if that is slower', () => {
    const ends = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => n * MINUTE);
    expect(left({ left: 31, pace: pace(4, ...ends) })).toBe(31 * MINUTE);
    expect(left({ left: 31, pace: pace(4, ...ends.slice(0, 8)) })).toBe(10 * MINUTE);
    expect(left({ pace: pace(4, ...ends.map((ms) => ms / 100)) })).toBe(10 * MINUTE);
  });

  it('is not misled by rows that end together', () => {
    const bursts = [1, 1, 1, 1, 2, 2, 2, 2, 3].map((n) => n * MINUTE);
    expect(pace(4, ...bursts).rowMs).toEqual([MINUTE / 4, MINUTE / 4]);
  });

  it('does not mistake one long pause for a pace', () => {
    const ends = [0, 1, 2, 3, 500, 501, 502, 503, 504].map((n) => n * MINUTE);
    expect(left({ left: 31, pace: pace(4, ...ends) })).toBe(31 * MINUTE);
  });
});
