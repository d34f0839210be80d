import { nextReadMs, planReads } from '../activities/await/poll-times';
import { nextPlanned } from '../activities/await/read-plan';
import { type Random, seededRandom } from '../sandbox/random';
import { type Records } from '../store/records';
import { createUsualTimes } from '../store/account/usual-times';
import { type Finding, found } from './finding';
import { deviationOf, type LogNormal, optimalReads } from './optimal-reads';
import { quantile } from './statistics';

export const VIDEO_MODELS: readonly LogNormal[] = [
  { medianMs: 90_000, p95Ms: 240_000 },
  { medianMs: 40_000, p95Ms: 90_000 },
];

/**
 * A way to poll: returns the ages, in milliseconds, at which a task that ends at age `endMs` is read. The last read
 * sees the end.
 */
export type Manner = (endMs: number) => Promise<readonly number[]>;

/** Lag between the ends of tasks and the reads that saw the ends, and the number of reads. */
export interface Detection {
  readonly meanLagMs: number;
  readonly p95LagMs: number;
  /** Reads per task, including the one that sees the end. */
  readonly reads: number;
}

/** Number of tasks of each model from which a way of polling may learn before its results are counted. */
export const LEARNED_FROM = 20;

/** Mean lag of reads at intervals of 6 s ± 1.5 s: half the mean interval, plus the effect of its variance. */
export const RUNWAY_LAG_MS = 6_000 / 2 + 1_500 ** 2 / 3 / (2 * 6_000);

const TASKS = 1_000;
const READS = 10;
const FLOORS_MS = [5_000, 1_000];

/**
 * Measures how soon the ends of tasks are seen, on a simulated clock: 500 tasks of each model, at each floor. A floor
 * is the least time between two reads. The ways of polling of fal and Runway ignore it.
 *
 * @returns for each floor and model: one finding for each way of polling; and the fewest reads, without a floor, that
 *   give Runway's lag.
 */
export async function measureDetection(seed: number): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const floorMs of FLOORS_MS) {
    for (const model of VIDEO_MODELS) {
      const random = seededRandom('detection', seed, model.medianMs);
      const ends = Array.from({ length: LEARNED_FROM + TASKS / VIDEO_MODELS.length }, () => endOf(model, random));
      const place = `tasks of ${model.medianMs / 1_000} s, floor ${floorMs / 1_000} s`;
      const best = optimalReads(model, { reads: READS }, floorMs);
      const manners = {
        'Dailies, learned': learned(random, floorMs),
        'optimum, distribution known': (endMs: number) =>
          Promise.resolve(readsUntil(endMs, (ageMs) => nextPlanned(best.plan, ageMs) ?? Infinity)),
        'fal: 500 ms': everyHalfSecond,
        'Runway: 6 s ± 1.5 s': everySixSeconds(random),
      };
      const atRunwaysLag = optimalReads(model, { meanLagMs: RUNWAY_LAG_MS }, 0);
      for (const [name, manner] of Object.entries(manners)) {
        findings.push(asFinding(`${place}: ${name}`, await detect(manner, ends, LEARNED_FROM)));
      }
      findings.push(found(`${place}: optimum at Runway's lag`, 'reads a task', [atRunwaysLag.reads], 1));
    }
  }
  return findings;
}

export function endOf(model: LogNormal, random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return model.medianMs * Math.exp(deviationOf(model) * normal);
}

/** Polls simulated tasks one after another. The first `uncounted` tasks do not count in the result. */
export async function detect(manner: Manner, endsMs: readonly number[], uncounted = 0): Promise<Detection> {
  const lags: number[] = [];
  let reads = 0;
  for (const [index, endMs] of endsMs.entries()) {
    const ages = await manner(endMs);
    if (index < uncounted) continue;
    lags.push((ages.at(-1) ?? Infinity) - endMs);
    reads += ages.length;
  }
  return {
    meanLagMs: lags.reduce((sum, lag) => sum + lag, 0) / lags.length,
    p95LagMs: quantile(lags, 0.95),
    reads: reads / lags.length,
  };
}

/**
 * Polls consecutive tasks of a model as `awaitTask` does, with the same code for learned times and next reads. The
 * durations of Temporal's retry and of the read itself are left out.
 */
export function learned(random: Random, floorMs: number): Manner {
  const usualTimes = createUsualTimes(recordsInMemory(), 'bench');
  return async (endMs) => {
    const usual = await usualTimes.forModel('model');
    const plan = usual === undefined ? undefined : planReads(usual.seen, floorMs);
    const ages = readsUntil(
      endMs,
      (ageMs, isFirst) => ageMs + nextReadMs({ ageMs, isFirst, plan, floorMs, random: random() }),
    );
    await usualTimes.note('model', ages.at(-1) ?? endMs, ages.at(-2) ?? 0);
    return ages;
  };
}

/** Polls as @fal-ai/client's `subscribe` does: at once, and then every 500 ms. */
const everyHalfSecond: Manner = (endMs) =>
  Promise.resolve(readsUntil(endMs, (ageMs, isFirst) => (isFirst ? 0 : ageMs + 500)));

/** Polls as runwayml/sdk-node's `waitForTaskOutput` does: every 6 s ± 1.5 s. */
export function everySixSeconds(random: Random): Manner {
  return (endMs) => Promise.resolve(readsUntil(endMs, (ageMs) => ageMs + 4_500 + 3_000 * random()));
}

function readsUntil(endMs: number, nextAgeMs: (ageMs: number, isFirst: boolean) => number): readonly number[] {
  const ages = [nextAgeMs(0, true)];
  for (let age = ages[0] ?? 0; age < endMs; ages.push(age)) age = nextAgeMs(age, false);
  return ages;
}

function recordsInMemory(): Records {
  const kept = new Map<string, unknown>();
  return {
    read: (key) => Promise.resolve(structuredClone(kept.get(key))),
    replace: (key, value) => Promise.resolve(void kept.set(key, structuredClone(value))),
    create: (key, value) => Promise.resolve(!kept.has(key) && Boolean(kept.set(key, structuredClone(value)))),
    list: () => Promise.resolve([...kept.keys()]),
  };
}

function asFinding(title: string, { meanLagMs, p95LagMs, reads }: Detection): Finding {
  return {
    title,
    quantities: [
      { unit: 's of lag on average', values: [meanLagMs / 1_000], digits: 2 },
      { unit: 's for 95 %', values: [p95LagMs / 1_000], digits: 2 },
      { unit: 'reads a task', values: [reads], digits: 1 },
    ],
  };
}
