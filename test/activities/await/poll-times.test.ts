import fc from 'fast-check';
import { FIRST_READ_CEILING_MS, nextReadMs, planReads, POLL_CEILING_MS } from '../../../activities/await/poll-times';
import { detect, learned, LEARNED_FROM } from '../../../bench/detection';
import { optimalReads } from '../../../bench/optimal-reads';
import { between, seededRandom } from '../../../sandbox/random';
import { type EndSeen } from '../../../store';

const UNKNOWN = { plan: undefined, isFirst: false, random: 0.5 };

describe('nextReadMs', () => {
  it('reads after the floor if nothing is known of the model', () => {
    expect(nextReadMs({ ...UNKNOWN, isFirst: true, ageMs: 0, floorMs: 5_000 })).toBe(5_000);
  });

  it('reads ever more rarely as a task gets older than any seen, up to the ceiling', () => {
    const plan = planReads(seenAt(4_000, 5_000, 6_000), 1_000);
    for (const known of [undefined, plan]) {
      const at = (ageMs: number): number => nextReadMs({ ...UNKNOWN, plan: known, ageMs, floorMs: 1_000 });
      expect(at(20_000)).toBe(2_000);
      expect(at(40_000)).toBe(4_000);
      expect(at(3_600_000)).toBe(POLL_CEILING_MS);
    }
  });

  it('makes the first read when tasks of the model usually end, even if that is before the floor', () => {
    const first = (...endsMs: number[]): number =>
      nextReadMs({ ageMs: 0, isFirst: true, plan: planReads(seenAt(...endsMs), 5_000), floorMs: 5_000, random: 0.5 });
    expect(first(60_000, 60_100, 60_200)).toBeGreaterThan(50_000);
    expect(first(2_000, 2_010, 2_020)).toBeLessThan(5_000);
  });

  it('keeps reading if a changed clock has left a task that took no time, or weeks', () => {
    for (const byMs of [0, 5e-324, 1e308]) {
      const plan = planReads([{ afterMs: undefined, byMs }, ...seenAt(40_000, 41_000, 42_000)], 5_000);
      expect(plan.agesMs.every(Number.isFinite)).toBe(true);
      const wait = nextReadMs({ ageMs: 39_000, isFirst: false, plan, floorMs: 5_000, random: 0.5 });
      expect(wait).toBeGreaterThanOrEqual(5_000);
      expect(wait).toBeLessThanOrEqual(POLL_CEILING_MS);
    }
  });

  it('never reads more often than the floor, nor more rarely than the ceiling', () => {
    const seen: fc.Arbitrary<EndSeen> = fc.record({
      afterMs: fc.option(fc.double({ min: 0, noNaN: true }), { nil: undefined }),
      byMs: fc.oneof(fc.nat(4_000_000), fc.double({ min: 0, noNaN: true })),
    });
    const ends = fc.array(seen, { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(
        fc.nat(10_000_000),
        fc.integer({ min: 100, max: 40_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.boolean(),
        fc.option(ends, { nil: undefined }),
        (ageMs, floorMs, random, isFirst, spans) => {
          const plan = spans && planReads(spans, floorMs);
          const wait = nextReadMs({ ageMs: isFirst ? 0 : ageMs, isFirst, plan, floorMs, random });
          expect(wait).toBeGreaterThanOrEqual(isFirst && plan !== undefined ? 0 : floorMs);
          expect(wait).toBeLessThanOrEqual(
            isFirst ? Math.max(FIRST_READ_CEILING_MS, floorMs) : Math.max(POLL_CEILING_MS, floorMs),
          );
        },
      ),
    );
  });

  it('spreads the reads of tasks that were submitted at once', () => {
    const plan = planReads(seenAt(40_000, 60_000, 90_000, 120_000, 240_000), 5_000);
    const first = (random: number): number => nextReadMs({ ageMs: 0, isFirst: true, plan, floorMs: 5_000, random });
    expect(first(1) - first(0)).toBeGreaterThan(500);
  });
});

describe('reads by what was learned', () => {
  it('avoid the time between the ends of short and long clips of a model', async () => {
    const random = seededRandom('clips');
    const clip = (): number => (random() < 0.5 ? 40_000 : 120_000) * between(random, 0.97, 1.03);
    const found = await detect(learned(random, 1_000), ends(200, clip), LEARNED_FROM);
    const broad = optimalReads({ medianMs: 70_000, p95Ms: 120_000 }, { reads: found.reads }, 1_000);
    expect(found.meanLagMs).toBeLessThan(0.5 * broad.meanLagMs);
  });
});

function seenAt(...endsMs: number[]): readonly EndSeen[] {
  return endsMs.map((byMs) => ({ afterMs: undefined, byMs }));
}

/** Durations of tasks; the model's times are learned from the first ones. */
function ends(count: number, draw: () => number, learnedFrom = LEARNED_FROM): readonly number[] {
  return Array.from({ length: learnedFrom + count }, draw);
}
