import { type EndSeen } from '../store';

/**
 * How likely tasks of a model end at what age, by what was seen of the last ones: pure.
 *
 * A read only tells that a task ended since the read before, so each task is spread over that time in the way in which
 * all others are, again and again, and the whole is smoothed. No form is assumed: a model may take 5.0 s always, or
 * short clips 40 s and long ones 120 s. Source: B. W. Silverman et al., A smoothed EM approach to indirect estimation
 * problems, 1990.
 */

/** Ages on end, and the share of tasks that end between each and the one before it. The first age is 0, its share 0. */
export interface EndTimes {
  readonly agesMs: readonly number[];
  readonly shares: readonly number[];
}

/** Each age is this many times the one before: fine against any spacing of reads. */
const STEP = 1.025;

/** Where times lie far apart the steps are larger: what follows takes time by the square of their number. */
const MOST_AGES = 250;

/** Clocks are set, and differ between workers: what took no time or weeks counts as this. */
const SHORTEST_MS = 1;
const LONGEST_MS = 7 * 24 * 60 * 60 * 1_000;

/** A task that was first read at its end may have ended this much sooner: so it is found out if a model gets quicker. */
const SOONEST = 0.5;

/** Of a task noted without the read before it (by an execute, or an older worker), the same. */
const SOONEST_UNTOLD = 0.9;

/** The slowest task seen may be outdone by this factor before nothing is claimed any more. */
const BEYOND = 2;

/** As many tasks later a task counts half: what is usual changes. */
const HALF_LIFE = 30;

/** Rounds of spreading; more change little. */
const ROUNDS = 20;

/** The width of tasks is that of the closest third of them, and of no fewer than these: of one kind of several. */
const CLOSEST = 1 / 3;
const CLOSEST_TASKS = 3.5;

/** The middle third of a normal distribution is 0.86 deviations wide; of other shares about in proportion. */
const DEVIATIONS_OF_ALL = 2.6;

/** A bell of fewer steps would move nothing. */
const NARROWEST = 0.5;

/** Tasks, beside those seen, that may end at any age. */
const SURPRISES = 0.5;

/** @param seen - at least one, the newest last. */
export function likelyEndTimes(seen: readonly EndSeen[]): EndTimes {
  const spans = seen.map(({ afterMs, byMs }) => {
    const toMs = Math.min(Math.max(byMs, SHORTEST_MS), LONGEST_MS);
    return { fromMs: soonest(afterMs, toMs), toMs };
  });
  const agesMs = agesOver(Math.min(...spans.map((s) => s.fromMs)), BEYOND * Math.max(...spans.map((s) => s.toMs)));
  const tasks = spans.map(({ fromMs, toMs }, index) => {
    const last = agesMs.findIndex((age) => age >= toMs);
    const first = Math.min(
      last,
      Math.max(
        1,
        agesMs.findIndex((age) => age > fromMs),
      ),
    );
    return { first, last, weight: 0.5 ** ((seen.length - 1 - index) / HALF_LIFE) };
  });
  const weight = tasks.reduce((sum, task) => sum + task.weight, 0);
  const anywhere = agesMs.map((_, index) => (index === 0 ? 0 : 1 / (agesMs.length - 1)));
  let shares: readonly number[] = anywhere;
  for (let round = 0; round < ROUNDS; round += 1) shares = smooth(spread(tasks, shares), weight);
  return {
    agesMs,
    shares: shares.map((share, i) => (share * weight + (anywhere[i] ?? 0) * SURPRISES) / (weight + SURPRISES)),
  };
}

function soonest(afterMs: number | undefined, byMs: number): number {
  if (afterMs === undefined) return byMs * SOONEST_UNTOLD;
  return Math.max(Math.min(afterMs, byMs), byMs * SOONEST);
}

function agesOver(lowMs: number, highMs: number): readonly number[] {
  const steps = Math.min(MOST_AGES, Math.ceil(Math.log(highMs / lowMs) / Math.log(STEP)));
  return [0, ...Array.from({ length: steps + 1 }, (_, step) => lowMs * (highMs / lowMs) ** (step / steps))];
}

interface Span {
  /** Indices of ages, both within. */
  readonly first: number;
  readonly last: number;
  readonly weight: number;
}

/** Each task over its span, in the proportions that are known so far. */
function spread(tasks: readonly Span[], known: readonly number[]): number[] {
  const shares = known.map(() => 0);
  const total = tasks.reduce((sum, task) => sum + task.weight, 0);
  for (const { first, last, weight } of tasks) {
    const within = known.slice(first, last + 1);
    const sum = within.reduce((a, b) => a + b, 0);
    within.forEach((share, at) => {
      shares[first + at] = (shares[first + at] ?? 0) + (weight / total) * (sum > 0 ? share / sum : 1 / within.length);
    });
  }
  return shares;
}

/** By a bell as wide as so many tasks call for (Silverman's rule); where all take the same time, not at all. */
function smooth(shares: readonly number[], tasks: number): readonly number[] {
  const width = 0.9 * deviationOf(shares, tasks) * tasks ** -0.2;
  if (width < NARROWEST) return shares;
  const reach = Math.ceil(3 * width);
  const bell = Array.from({ length: 2 * reach + 1 }, (_, at) => Math.exp(-(((at - reach) / width) ** 2) / 2));
  const smoothed = shares.map((_, index) =>
    index === 0 ? 0 : bell.reduce((sum, height, at) => sum + height * (shares[index + at - reach] ?? 0), 0),
  );
  const total = smoothed.reduce((sum, share) => sum + share, 0);
  return smoothed.map((share) => share / total);
}

/** The standard deviation in steps, by the fewest steps that hold a third: of short clips, where there are long ones. */
function deviationOf(shares: readonly number[], tasks: number): number {
  const part = Math.min(0.9, Math.max(CLOSEST, CLOSEST_TASKS / tasks));
  let [fewest, from, held] = [shares.length, 0, 0];
  shares.forEach((share, to) => {
    held += share;
    for (; held - (shares[from] ?? 0) >= part; from += 1) held -= shares[from] ?? 0;
    if (held >= part) fewest = Math.min(fewest, to - from);
  });
  return fewest / (part * DEVIATIONS_OF_ALL);
}
