import fc from 'fast-check';
import { FIRST_READ_CEILING_MS, nextReadMs, POLL_CEILING_MS } from '../../activities/poll-times';

const usual = { quickMs: 40_000, medianMs: 90_000, slowMs: 240_000 };

describe('nextReadMs', () => {
  it('waits until the quickest tasks of the model usually end', () => {
    const first = nextReadMs({ ageMs: 0, usual, floorMs: 5_000, random: 0.5 });
    expect(first).toBe(40_000);
  });

  it('reads after the floor where nothing is known of the model', () => {
    expect(nextReadMs({ ageMs: 0, usual: undefined, floorMs: 5_000, random: 0.5 })).toBe(5_000);
  });

  it('reads ever more rarely as a task gets older than usual, up to the ceiling', () => {
    const at = (ageMs: number): number => nextReadMs({ ageMs, usual: undefined, floorMs: 1_000, random: 0.5 });
    expect(at(20_000)).toBeGreaterThan(at(5_000));
    expect(at(3_600_000)).toBe(POLL_CEILING_MS);
  });

  it('needs few reads for a task that takes as long as its model usually does', () => {
    let ageMs = 0;
    let reads = 0;
    while (ageMs < usual.slowMs) {
      ageMs += nextReadMs({ ageMs, usual, floorMs: 5_000, random: 0.5 });
      reads += 1;
    }
    expect(reads).toBeLessThanOrEqual(10);
  });

  it('never reads more often than the floor allows, give or take the jitter', () => {
    fc.assert(
      fc.property(
        fc.nat(10_000_000),
        fc.integer({ min: 100, max: 10_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.option(fc.tuple(fc.nat(40_000_000), fc.nat(40_000_000), fc.nat(40_000_000)), { nil: undefined }),
        (ageMs, floorMs, random, times) => {
          const [quickMs = 0, medianMs = 0, slowMs = 0] = (times ?? []).toSorted((a, b) => a - b);
          const known = times === undefined ? undefined : { quickMs, medianMs, slowMs };
          const wait = nextReadMs({ ageMs, usual: known, floorMs, random });
          expect(wait).toBeGreaterThanOrEqual(Math.min(floorMs, quickMs || floorMs) * 0.9);
          expect(wait).toBeLessThanOrEqual(
            Math.max(POLL_CEILING_MS, floorMs, Math.min(quickMs, FIRST_READ_CEILING_MS)) * 1.1,
          );
        },
      ),
    );
  });
});
