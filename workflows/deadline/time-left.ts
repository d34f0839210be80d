import type { KnownTimes } from '../../contracts/activities';
import type { LimitSet } from '../../contracts/limits';
import type { PlannedShot, ProductionPlan } from '../../contracts/plan';
import type { ShotStatus } from '../../contracts/status';

/** How long a production still needs by usual times: pure, so that it is tested without a server. */

/** How long tasks of each model usually take at the longest, in milliseconds; without those of which nobody knows. */
export type SlowTimes = Readonly<Record<string, number>>;

/** What collecting, frames and the film take beside the tasks: a fifth of their time, and no less than ten seconds. */
const MARGIN_SHARE = 0.2;
const LEAST_MARGIN_MS = 10_000;

/** Urgent from twice the time on that is left to need. */
export const URGENT_FACTOR = 2;

/** A production in this moment, as far as its time goes. */
export interface Remaining {
  readonly plan: Pick<ProductionPlan, 'shots' | 'maxInFlight'>;
  /** The shots whose tasks have not all ended. */
  readonly open: ReadonlySet<string>;
  /** Those of them of which nothing was sent. */
  readonly unsent: ReadonlySet<string>;
  readonly slow: SlowTimes;
  /** What the account may send. */
  readonly limits: KnownTimes['limits'];
}

/**
 * What is left of a production by where its shots stand.
 *
 * Of a shot under way nothing was sent as long as it has told of no take but those that it had before it was started, or
 * waits for the budget with them.
 */
export function remainingOf(
  plan: Remaining['plan'],
  shots: readonly ShotStatus[],
  { slow, limits, takesBefore }: KnownTimes & { readonly takesBefore: (id: string) => ReadonlySet<number> },
): Remaining {
  const open = shots.filter(({ state, filmTake }) => OPEN.has(state) && filmTake === null);
  const unsent = open.filter(({ id, state, parked, takes }) => {
    if (state === 'pending' || parked?.for === 'budget') return true;
    return state === 'rendering' && takes.every(({ take }) => takesBefore(id).has(take));
  });
  const idsOf = (some: readonly ShotStatus[]): ReadonlySet<string> => new Set(some.map(({ id }) => id));
  return { plan, slow, limits, open: idsOf(open), unsent: idsOf(unsent) };
}

/** States from which a shot may yet get the take that it goes on with. */
const OPEN: ReadonlySet<ShotStatus['state']> = new Set(['pending', 'rendering', 'parked']);

/** How long a shot and the longest chain of links that goes on from it take; null where a time is not known. */
export function pathsMs({ plan: { shots }, open, slow }: Remaining): ReadonlyMap<string, number | null> {
  const followers = new Map<string, PlannedShot[]>();
  for (const shot of shots)
    for (const { shot: from } of shot.links) followers.set(from, [...(followers.get(from) ?? []), shot]);
  const paths = new Map<string, number | null>();
  // Links lead anywhere in the film's order, and in no circle: what follows is reckoned first.
  function reckon(root: PlannedShot): void {
    const stack = [root];
    for (let shot = stack.at(-1); shot !== undefined; shot = stack.at(-1)) {
      const after = followers.get(shot.id) ?? [];
      const missing = after.filter(({ id }) => !paths.has(id));
      if (missing.length > 0) {
        stack.push(...missing);
        continue;
      }
      stack.pop();
      const own = open.has(shot.id) ? (slow[shot.model] ?? null) : 0;
      const tails = after.map(({ id }) => paths.get(id) ?? null);
      const isKnown = own !== null && tails.every((tail) => tail !== null);
      paths.set(shot.id, isKnown ? own + Math.max(0, ...tails.map(Number)) : null);
    }
  }
  shots.forEach(reckon);
  return paths;
}

/**
 * What the unsent shots take at the least, as many at once as the plan and the account's limits allow. Those of which
 * nobody knows are not in it; what others of the account send meanwhile is not either.
 */
function queueMs({ plan: { shots, maxInFlight }, unsent, slow, limits }: Remaining): number {
  const tasks = shots.flatMap(({ id, model }) => (unsent.has(id) ? [{ model, ms: slow[model] ?? 0 }] : []));
  const ofModels = Object.entries(limits.models).map(([name, ofModel]) =>
    leastMs(
      tasks.filter(({ model }) => model === name),
      ofModel,
    ),
  );
  return Math.max(leastMs(tasks, { inFlight: maxInFlight }), leastMs(tasks, limits.account), ...ofModels);
}

function leastMs(tasks: readonly { readonly ms: number }[], { inFlight, perSecond, perMinute }: LimitSet): number {
  const sum = tasks.reduce((total, { ms }) => total + ms, 0);
  return Math.max(
    sum / (inFlight ?? Infinity),
    (tasks.length * 1_000) / (perSecond ?? Infinity),
    (tasks.length * 60_000) / (perMinute ?? Infinity),
  );
}

/**
 * Until when each unsent shot can be begun as it is, if all is to be ready in time; null where nobody knows.
 *
 * @param margin false for the moment from which on it is late by usual times.
 */
export function lastMomentsMs(
  readyAtMs: number,
  remaining: Remaining,
  { margin }: { readonly margin: boolean } = { margin: true },
): ReadonlyMap<string, number | null> {
  const paths = pathsMs(remaining);
  const queue = queueMs(remaining);
  return new Map(
    [...remaining.unsent].map((id) => {
      const path = paths.get(id) ?? null;
      if (path === null) return [id, null];
      const leftMs = Math.max(path, queue);
      return [id, readyAtMs - leftMs - (margin ? marginMs(leftMs) : 0)];
    }),
  );
}

/** What is kept free beside the time that is left to need. */
export function marginMs(leftMs: number): number {
  return Math.max(LEAST_MARGIN_MS, leftMs * MARGIN_SHARE);
}

/** From when on the production is urgent; null where nobody knows how long any chain of it takes. */
export function urgentFromMs(readyAtMs: number, remaining: Remaining): number | null {
  const paths = pathsMs(remaining);
  const known = [...remaining.open].map((id) => paths.get(id)).filter((path) => path != null);
  if (known.length === 0) return null;
  return readyAtMs - URGENT_FACTOR * Math.max(queueMs(remaining), ...known);
}
