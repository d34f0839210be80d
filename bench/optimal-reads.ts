import { type EndTimes } from '../activities/await/end-times';
import { cheapestReads, type ReadPlan } from '../activities/await/read-plan';

/** A lognormal distribution of task times, which fits video models. */
export interface LogNormal {
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** The optimal plan of reads. Lag is the time from a task's end to the read that sees the end. */
export interface OptimalReads {
  readonly plan: ReadPlan;
  readonly meanLagMs: number;
  /** Reads per task, including the one that sees the end. */
  readonly reads: number;
}

/** The 95th percentile in standard deviations. */
const P95_DEVIATIONS = 1.6449;

/**
 * The grid of ages has `CELLS` cells. It ends `LAST_DEVIATIONS` standard deviations of the age's logarithm above the
 * median. A cell is far shorter than the time between reads.
 */
const LAST_DEVIATIONS = 4.5;
const CELLS = 2_000;

/** Range in which `optimalReads` searches for a price. Eighteen bisections find it to within 0.01 %. */
const PRICES = { lowMs: 1, highMs: 1e6, halvings: 18 };

export function deviationOf({ medianMs, p95Ms }: LogNormal): number {
  return Math.log(p95Ms / medianMs) / P95_DEVIATIONS;
}

/** The maximum mean number of reads per task, or the mean lag. */
export type Given = { readonly reads: number } | { readonly meanLagMs: number };

/**
 * Finds the least mean lag for the given reads, or the fewest reads for the given mean lag, among all plans that know
 * the distribution.
 *
 * A read has a price in milliseconds of lag. For each price, `cheapestReads` finds the cheapest plan on a fine grid.
 * Bisection finds the price whose plan has the given mean.
 */
export function optimalReads(model: LogNormal, given: Given, floorMs: number): OptimalReads {
  const endTimes = endTimesOf(model);
  const at = (priceMs: number): OptimalReads => {
    const plan = cheapestReads(endTimes, { priceMs, floorMs, ceilingMs: Infinity, firstCeilingMs: Infinity });
    return { plan, ...expected(plan, endTimes) };
  };
  let { lowMs, highMs } = PRICES;
  for (let step = 0; step < PRICES.halvings; step += 1) {
    const priceMs = Math.sqrt(lowMs * highMs);
    const found = at(priceMs);
    if ('reads' in given ? found.reads > given.reads : found.meanLagMs < given.meanLagMs) lowMs = priceMs;
    else highMs = priceMs;
  }
  return at(highMs);
}

/**
 * The least mean lag by the calculus of variations, for dense reads without a minimum interval. A test compares the
 * result with `optimalReads`. The density of reads is proportional to the square root of the hazard.
 *
 * Source: J. B. Keller, Optimum checking schedules for systems subject to random failure, 1974.
 */
export function lagByCalculusMs(model: LogNormal, reads: number): number {
  const deviation = deviationOf(model);
  const step = LAST_DEVIATIONS / CELLS;
  let sum = 0;
  for (let z = -LAST_DEVIATIONS + step / 2; z < LAST_DEVIATIONS; z += step) {
    const ageMs = model.medianMs * Math.exp(deviation * z);
    const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI) / (ageMs * deviation);
    sum += Math.sqrt(density * (1 - normalBelow(z))) * ageMs * deviation * step;
  }
  return sum ** 2 / (2 * reads);
}

function endTimesOf(model: LogNormal): EndTimes {
  const deviation = deviationOf(model);
  const lastMs = model.medianMs * Math.exp(deviation * LAST_DEVIATIONS);
  const agesMs = Array.from({ length: CELLS + 1 }, (_, cell) => (lastMs * cell) / CELLS);
  const ended = agesMs.map((age) => (age === 0 ? 0 : normalBelow(Math.log(age / model.medianMs) / deviation)));
  return { agesMs, shares: ended.map((share, cell) => share - (ended[cell - 1] ?? 0)) };
}

function expected({ nextMs }: ReadPlan, { agesMs, shares }: EndTimes): { meanLagMs: number; reads: number } {
  let [nextRead, reads, meanLagMs, meanReads] = [nextMs[0] ?? Infinity, 1, 0, 0];
  shares.forEach((share, cell) => {
    const age = agesMs[cell] ?? 0;
    meanLagMs += share * (nextRead - (age + (agesMs[cell - 1] ?? 0)) / 2);
    meanReads += share * reads;
    if (age < nextRead) return;
    nextRead = nextMs[cell] ?? Infinity;
    if (cell < agesMs.length - 1) reads += 1;
  });
  return { meanLagMs, reads: meanReads };
}

/** The standard normal distribution function. Source: Abramowitz and Stegun, 26.2.17; error below 1e-7. */
function normalBelow(z: number): number {
  if (z < 0) return 1 - normalBelow(-z);
  const t = 1 / (1 + 0.2316419 * z);
  const tail = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - (tail * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}
