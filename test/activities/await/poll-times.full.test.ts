import {
  detect,
  endOf,
  everySixSeconds,
  learned,
  LEARNED_FROM,
  RUNWAY_LAG_MS,
  VIDEO_MODELS,
} from '../../../bench/detection';
import { lagByCalculusMs, type LogNormal, optimalReads } from '../../../bench/optimal-reads';
import { between, seededRandom } from '../../../sandbox/random';

const [SLOW, QUICK] = VIDEO_MODELS as [LogNormal, LogNormal];
const SEEDS = [1, 2, 3];
/** Average of reads that tasks may have, and the share of the least lag that learning may add. */
const READS = 10;
const NEAR = 1.25;

/** The optimum of slow tasks with a floor of one second, which several tests need. */
const SLOW_OPTIMUM = optimalReads(SLOW, { reads: READS }, 1_000);

describe('reads by what was learned', () => {
  it.each([
    [SLOW, 5_000],
    [SLOW, 1_000],
    [QUICK, 5_000],
    [QUICK, 1_000],
  ])('of %j, with a floor of %i ms, are near the optimum after twenty tasks', async (model, floorMs) => {
    const best = optimalReads(model, { reads: READS }, floorMs);
    const random = seededRandom('near');
    const found = await detect(
      learned(random, floorMs),
      ends(500, () => endOf(model, random)),
      LEARNED_FROM,
    );
    expect(found.reads).toBeLessThanOrEqual(READS);
    expect(found.meanLagMs / best.meanLagMs).toBeLessThanOrEqual(NEAR);
  });

  it.each([500, 5_000])('come right at the end where all tasks take 5 s, with a floor of %i ms', async (floorMs) => {
    const random = seededRandom('narrow');
    const found = await detect(
      learned(random, floorMs),
      ends(200, () => between(random, 4_900, 5_100)),
      LEARNED_FROM,
    );
    expect(found.meanLagMs).toBeLessThan(0.5 * floorMs);
    expect(found.reads).toBeLessThanOrEqual(3);
  });

  it.each([
    [3, 3],
    [5, 2],
    [8, 1.6],
  ])('after only %i tasks have no more than %d times the lag of the optimum', async (known, times) => {
    let [lagMs, reads] = [0, 0];
    for (let seed = 0; seed < 100; seed += 1) {
      const random = seededRandom('few', seed);
      const found = await detect(
        learned(random, 1_000),
        ends(2, () => endOf(SLOW, random), known),
        known,
      );
      lagMs += found.meanLagMs / 100;
      reads += found.reads / 100;
    }
    expect(lagMs).toBeLessThan(times * SLOW_OPTIMUM.meanLagMs);
    expect(reads).toBeLessThanOrEqual(1.5 * READS);
  });

  it.each([2, 0.5])('follow where tasks take %d times as long as before, within forty of them', async (times) => {
    const changed = { medianMs: times * SLOW.medianMs, p95Ms: times * SLOW.p95Ms };
    const best = optimalReads(changed, { reads: READS }, 1_000);
    let [lagMs, reads, soonReads] = [0, 0, 0];
    for (const seed of SEEDS) {
      const random = seededRandom('change', seed);
      const manner = learned(random, 1_000);
      await detect(
        manner,
        ends(50, () => endOf(SLOW, random)),
      );
      const soon = await detect(
        manner,
        ends(40, () => endOf(changed, random), 0),
      );
      const then = await detect(
        manner,
        ends(100, () => endOf(changed, random), 0),
      );
      soonReads += soon.reads / SEEDS.length;
      lagMs += then.meanLagMs / SEEDS.length;
      reads += then.reads / SEEDS.length;
    }
    expect(lagMs).toBeLessThan(1.5 * best.meanLagMs);
    expect(reads).toBeLessThan(1.2 * READS);
    expect(soonReads).toBeLessThan(2 * READS);
  });
});

describe('the optimum that reads are held against', () => {
  it.each(VIDEO_MODELS)('is what the calculus of variations says, of %j', (model) => {
    const best = optimalReads(model, { reads: READS }, 0);
    expect(best.meanLagMs / lagByCalculusMs(model, best.reads)).toBeCloseTo(1, 1);
  });

  it.each(VIDEO_MODELS)(
    'takes more than half of the reads 6 s ± 1.5 s apart, for the same lag, of %j',
    async (model) => {
      const random = seededRandom('six seconds');
      const found = await detect(
        everySixSeconds(random),
        ends(2_000, () => endOf(model, random)),
      );
      expect(found.meanLagMs / RUNWAY_LAG_MS).toBeCloseTo(1, 1);
      const best = optimalReads(model, { meanLagMs: RUNWAY_LAG_MS }, 0);
      expect(best.reads / found.reads).toBeGreaterThan(0.6);
      expect(best.reads / found.reads).toBeLessThan(0.9);
    },
  );
});

/** Ends of tasks, with those that are learned from first. */
function ends(count: number, draw: () => number, learnedFrom = LEARNED_FROM): readonly number[] {
  return Array.from({ length: learnedFrom + count }, draw);
}
