import { type EndTimes } from './end-times';

/**
 * The reads with the least expected sum of lag and cost. Pure.
 *
 * The lag is the time from the task's end to the read that sees the end. A read costs as much as `priceMs` of lag.
 * Dynamic programming from the last age back to the first finds the cheapest reads within floor and ceiling, as far as
 * the ages allow it.
 */
export interface ReadPlan {
  /** Times since the task's acceptance, ascending, from 0. */
  readonly agesMs: readonly number[];
  /**
   * For each of `agesMs`: the age of the next read if the task is still pending at that age. Infinity at the last age.
   */
  readonly nextMs: readonly number[];
}

export interface ReadPrices {
  readonly priceMs: number;
  /** Shortest and longest time between two reads. */
  readonly floorMs: number;
  readonly ceilingMs: number;
  /** Longest time to the first read. */
  readonly firstCeilingMs: number;
}

export function cheapestReads({ agesMs, shares }: EndTimes, prices: ReadPrices): ReadPlan {
  const ended = runningSum(shares);
  const endedByAge = runningSum(shares.map((share, at) => share * middle(agesMs, at)));
  const last = agesMs.length - 1;
  const cost = new Float64Array(agesMs.length);
  const nextMs = agesMs.map(() => Infinity);
  for (let at = last - 1; at >= 0; at -= 1) {
    const age = agesMs[at] ?? 0;
    // Ages are coarse, so the time between reads may be half a step below the floor. The caller enforces the floor.
    const least = at === 0 ? 0 : prices.floorMs - ((agesMs[at + 1] ?? 0) - age) / 2;
    const longest = at === 0 ? prices.firstCeilingMs : prices.ceilingMs;
    cost[at] = Infinity;
    for (let next = at + 1; next <= last; next += 1) {
      const nextAge = agesMs[next] ?? 0;
      if (nextAge - age < least && next < last) continue;
      if (nextAge - age > longest && Number.isFinite(cost[at])) break;
      const lag = nextAge * ((ended[next] ?? 0) - (ended[at] ?? 0)) - ((endedByAge[next] ?? 0) - (endedByAge[at] ?? 0));
      const total = prices.priceMs * (1 - (ended[at] ?? 0)) + lag + (cost[next] ?? 0);
      if (total < (cost[at] ?? 0)) [cost[at], nextMs[at]] = [total, nextAge];
    }
  }
  return { agesMs, nextMs };
}

/**
 * The age of the next read if the task is still pending at `ageMs`, which is rounded to the nearest age of the plan.
 * Undefined at the plan's last age and after it.
 */
export function nextPlanned({ agesMs, nextMs }: ReadPlan, ageMs: number): number | undefined {
  const next = nextMs[agesMs.findIndex((age, at) => (age + (agesMs[at + 1] ?? age)) / 2 >= ageMs)];
  return next === Infinity ? undefined : next;
}

/**
 * The price of a read, in milliseconds of lag, that gives about `readsPerTask` reads per task.
 *
 * A given number of reads finds the end soonest if their density is proportional to the square root of the hazard rate.
 * The price follows from that density.
 * Source: J. B. Keller, Optimum checking schedules for systems subject to random failure, 1974.
 */
export function priceOfReads({ agesMs, shares }: EndTimes, readsPerTask: number): number {
  const ended = runningSum(shares);
  const reads = shares.reduce((sum, share, at) => {
    const pending = Math.max(0, 1 - (ended[at] ?? 0) + share / 2);
    return sum + Math.sqrt(share * pending * ((agesMs[at] ?? 0) - (agesMs[at - 1] ?? 0)));
  }, 0);
  return (reads / readsPerTask) ** 2 / 2;
}

function middle(agesMs: readonly number[], at: number): number {
  return ((agesMs[at - 1] ?? 0) + (agesMs[at] ?? 0)) / 2;
}

function runningSum(values: readonly number[]): readonly number[] {
  let sum = 0;
  return values.map((value) => (sum += value));
}
