import { type EndSeen } from '../store';
import { likelyEndTimes } from './end-times';
import { cheapestReads, nextPlanned, priceOfReads, type ReadPlan } from './read-plan';

/**
 * When to read a task's result next: pure, so that it can be tested and simulated.
 *
 * Where enough is known of the model, reads come where they find the end soonest for their number; where not, and for
 * a task that is older than any seen, they are spaced by a share of its age.
 */

/** Longest time between two reads, whatever the model: a person is waiting. */
export const POLL_CEILING_MS = 30_000;

/** Longest time to the first read: what is usual may change, and a person waits. */
export const FIRST_READ_CEILING_MS = 10 * 60_000;

/** Reads of a task on average, where the floor leaves room for them. */
const READS_PER_TASK = 9.5;

/** A read has to save at least this share of the floor in lag: where all tasks take the same time, few are worth it. */
const LEAST_PRICE = 0.03;

/** Time between reads, as a share of the task's age, where nothing is known of it. */
const SHARE_OF_AGE = 0.1;

/** Spread of reads around their time, so that a thousand tasks submitted at once are not read at once. */
const JITTER = 0.1;

export interface PollSituation {
  /** Time since the gateway accepted the task. */
  readonly ageMs: number;
  /** It was not read yet, so that the floor does not hold. */
  readonly isFirst: boolean;
  /** Undefined where too little is known of the model. */
  readonly plan: ReadPlan | undefined;
  readonly floorMs: number;
  /** 0 to 1. */
  readonly random: number;
}

/** When tasks of a model are best read, by when the last of them were seen to end: some milliseconds of work. */
export function planReads(seen: readonly EndSeen[], floorMs: number): ReadPlan {
  const endTimes = likelyEndTimes(seen);
  const priceMs = Math.max(LEAST_PRICE * floorMs, priceOfReads(endTimes, READS_PER_TASK));
  const ceilingMs = Math.max(floorMs, POLL_CEILING_MS);
  return cheapestReads(endTimes, { priceMs, floorMs, ceilingMs, firstCeilingMs: FIRST_READ_CEILING_MS });
}

/** Once more is known, a model's plan is made anew; where many tasks end at once, so often at most. */
const PLAN_EVERY_MS = 1_000;

/** As `planReads`, kept by model: a thousand tasks ask for the same plan again and again. */
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

/** Milliseconds from now to the next read. */
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
