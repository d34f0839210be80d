import { type EndSeen } from '../../store';

/**
 * Estimates the ages (times since acceptance) at which a model's tasks end, from its latest tasks. Pure.
 *
 * A read shows only that a task ended at some time since the previous read. So each task is spread over that interval,
 * in proportion to the current estimate. The smoothed sum over all tasks is the next estimate, and so on for some
 * rounds. No distribution is assumed: a model may always take 5.0 s, or 40 s for short clips and 120 s for long ones.
 *
 * Source: B. W. Silverman et al., A smoothed EM approach to indirect estimation problems, 1990.
 */

/** Ascending ages, and for each the share of tasks that end between it and the previous age. Both begin with 0. */
export interface EndTimes {
  readonly agesMs: readonly number[];
  readonly shares: readonly number[];
}

/** Ratio of two successive ages. The steps are small compared with the time between reads. */
const STEP = 1.025;

/**
 * Maximum number of steps; if more would be needed, each step is larger. The computing time grows with the square of
 * this number.
 */
const MOST_AGES = 250;

/**
 * Measured times are clamped to these bounds, since clocks are adjusted and differ between workers.
 */
const SHORTEST_MS = 1;
const LONGEST_MS = 7 * 24 * 60 * 60 * 1_000;

/**
 * A task's earliest assumed end, as a fraction of the age at which its end was seen. If a read saw the task pending
 * later than that, the age of that read applies.
 *
 * Reads are planned by these ends. With 1, a model that becomes quicker would not be noticed: its tasks would seem to
 * end when they are read.
 */
const EARLIEST = 0.5;

/**
 * Replaces EARLIEST if the time of the previous read is unknown, for example because one execute call sent the task and
 * waited for the result, or because an older worker recorded the times.
 */
const EARLIEST_IF_UNREAD = 0.9;

/** Ratio of the highest estimated age to the time of the slowest task. */
const AGES_BEYOND = 2;

/** Number of newer tasks that halve a task's weight. Times change, so newer tasks count more. */
const HALF_LIFE = 30;

/** Rounds of the estimate. Further rounds change little. */
const ROUNDS = 20;

/**
 * The standard deviation for `smooth` is measured on the tasks that are closest together: a third of all tasks, but at
 * least CLOSEST_TASKS, and at most 90 %. If a model makes short and long clips, these tasks are likely to be of one
 * length.
 */
const CLOSEST_SHARE = 1 / 3;
const CLOSEST_TASKS = 3.5;

/**
 * Width of the middle part of a normal distribution, in standard deviations, divided by the part's share of the tasks.
 * The middle third is 0.86 standard deviations wide. The same ratio is used for larger shares.
 */
const DEVIATIONS_PER_SHARE = 2.6;

/** Least width of the smoothing bell curve, in steps. A narrower curve would change little. */
const MIN_WIDTH = 0.5;

/** Number of imagined tasks that are spread evenly over all ages, since a task may end at any age. */
const ANY_AGE_WEIGHT = 0.5;

/** @param seen at least one end, the newest last. */
export function likelyEndTimes(seen: readonly EndSeen[]): EndTimes {
  const spans = seen.map(({ afterMs, byMs }) => {
    const toMs = Math.min(Math.max(byMs, SHORTEST_MS), LONGEST_MS);
    return { fromMs: earliest(afterMs, toMs), toMs };
  });
  const agesMs = agesOver(Math.min(...spans.map((s) => s.fromMs)), AGES_BEYOND * Math.max(...spans.map((s) => s.toMs)));
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
    shares: shares.map(
      (share, i) => (share * weight + (anywhere[i] ?? 0) * ANY_AGE_WEIGHT) / (weight + ANY_AGE_WEIGHT),
    ),
  };
}

function earliest(afterMs: number | undefined, byMs: number): number {
  if (afterMs === undefined) return byMs * EARLIEST_IF_UNREAD;
  return Math.max(Math.min(afterMs, byMs), byMs * EARLIEST);
}

function agesOver(lowMs: number, highMs: number): readonly number[] {
  const steps = Math.min(MOST_AGES, Math.ceil(Math.log(highMs / lowMs) / Math.log(STEP)));
  return [0, ...Array.from({ length: steps + 1 }, (_, step) => lowMs * (highMs / lowMs) ** (step / steps))];
}

interface Span {
  /** Indices of ages, both inclusive. */
  readonly first: number;
  readonly last: number;
  readonly weight: number;
}

/** Spreads each task over its span, in proportion to the current estimate. */
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

/**
 * Smooths with a bell curve. Its width follows from the standard deviation and the number of tasks (Silverman's rule).
 * The number is `taskWeight`, the sum of the tasks' weights. If the closest tasks end at nearly the same age, returns
 * `shares` unchanged.
 */
function smooth(shares: readonly number[], taskWeight: number): readonly number[] {
  const width = 0.9 * deviationOf(shares, taskWeight) * taskWeight ** -0.2;
  if (width < MIN_WIDTH) return shares;
  const reach = Math.ceil(3 * width);
  const bell = Array.from({ length: 2 * reach + 1 }, (_, at) => Math.exp(-(((at - reach) / width) ** 2) / 2));
  const smoothed = shares.map((_, index) =>
    index === 0 ? 0 : bell.reduce((sum, height, at) => sum + height * (shares[index + at - reach] ?? 0), 0),
  );
  const total = smoothed.reduce((sum, share) => sum + share, 0);
  return smoothed.map((share) => share / total);
}

/** The standard deviation in steps, measured on the tasks that are closest together (`CLOSEST_SHARE`). */
function deviationOf(shares: readonly number[], taskWeight: number): number {
  const part = Math.min(0.9, Math.max(CLOSEST_SHARE, CLOSEST_TASKS / taskWeight));
  let [fewest, from, held] = [shares.length, 0, 0];
  shares.forEach((share, to) => {
    held += share;
    for (; held - (shares[from] ?? 0) >= part; from += 1) held -= shares[from] ?? 0;
    if (held >= part) fewest = Math.min(fewest, to - from);
  });
  return fewest / (part * DEVIATIONS_PER_SHARE);
}
