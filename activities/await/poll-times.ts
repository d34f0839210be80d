import { type EndSeen } from '../../store';
import { likelyEndTimes } from './end-times';
import { cheapestReads, nextPlanned, priceOfReads, type ReadPlan } from './read-plan';

/**
 * Decides when to read a task's result next. Pure, except for the cache of plans, so that the decision can be tested
 * and simulated.
 *
 * If enough is known about the model, the reads follow a `ReadPlan`, which finds the end as early as its number of
 * reads allows. Otherwise, and for a task older than the plan's last age, the time between reads is a share of the
 * task's age, within bounds.
 */

/** Longest time between two reads, since a person is waiting. A longer floor overrides it. */
export const POLL_CEILING_MS = 30_000;

/** Longest time to the first read of a plan: a model's times may change, and a person is waiting. */
export const FIRST_READ_CEILING_MS = 10 * 60_000;

/**
 * Intended average number of reads per task. The floor (shortest time between reads) or LEAST_PRICE may reduce the
 * number.
 */
const READS_PER_TASK = 9.5;

/**
 * A read must reduce the lag (the time from a task's end to the read that sees the end) by at least this share of the
 * floor. If all tasks take the same time, few reads can do so, and the plan has few reads.
 */
const LEAST_PRICE = 0.03;

/** Time between reads as a share of the task's age, if there is no plan for this age. */
const SHARE_OF_AGE = 0.1;

/**
 * Random spread of reads around their planned time, as a share of the time between reads. A thousand tasks that were
 * submitted together are then not read together.
 */
const JITTER = 0.1;

export interface PollSituation {
  /** Time since the gateway accepted the task. */
  readonly ageMs: number;
  /** True if the task was not read yet. With a plan, the floor does not apply to the first read. */
  readonly isFirst: boolean;
  /** Undefined if too little is known about the model. */
  readonly plan: ReadPlan | undefined;
  readonly floorMs: number;
  /** 0 to 1. */
  readonly random: number;
}

/** From the ends of a model's last tasks, computes the best times for reads. Takes some milliseconds. */
export function planReads(seen: readonly EndSeen[], floorMs: number): ReadPlan {
  const endTimes = likelyEndTimes(seen);
  const priceMs = Math.max(LEAST_PRICE * floorMs, priceOfReads(endTimes, READS_PER_TASK));
  const ceilingMs = Math.max(floorMs, POLL_CEILING_MS);
  return cheapestReads(endTimes, { priceMs, floorMs, ceilingMs, firstCeilingMs: FIRST_READ_CEILING_MS });
}

/** Shortest time between two plans of a model. Each newly seen end would otherwise make a new plan. */
const PLAN_EVERY_MS = 1_000;

/** As `planReads`, cached by model, since a thousand tasks need the same plan repeatedly. */
export type ReadPlans = (model: string, seen: readonly EndSeen[]) => ReadPlan;

export function createReadPlans(floorMs: number): ReadPlans {
  const plans = new Map<
    string,
    { readonly seen: readonly EndSeen[]; readonly plan: ReadPlan; readonly atMs: number }
  >();
  return (model, seen) => {
    const made = plans.get(model);
    if (made !== undefined && (made.seen === seen || Date.now() - made.atMs < PLAN_EVERY_MS)) return made.plan;
    const plan = planReads(seen, floorMs);
    plans.set(model, { seen, plan, atMs: Date.now() });
    return plan;
  };
}

/** Time from `ageMs` to the next read. */
export function nextReadMs({ ageMs, isFirst, plan, floorMs, random }: PollSituation): number {
  const ceilingMs = Math.max(floorMs, POLL_CEILING_MS);
  const jitter = JITTER * (2 * random - 1);
  const plannedMs = plan === undefined ? undefined : nextPlanned(plan, isFirst ? 0 : ageMs);
  if (plan === undefined || plannedMs === undefined) {
    return clamp(clamp(ageMs * SHARE_OF_AGE, floorMs, ceilingMs) * (1 + jitter), floorMs, ceilingMs);
  }
  const waitMs = plannedMs - ageMs;
  const spacingMs = Math.max(floorMs, Math.min(waitMs, (nextPlanned(plan, plannedMs) ?? Infinity) - plannedMs));
  const [leastMs, longestMs] = isFirst ? [0, FIRST_READ_CEILING_MS] : [floorMs, ceilingMs];
  return clamp(waitMs + spacingMs * jitter, leastMs, longestMs);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
