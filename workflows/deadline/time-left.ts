import type { KnownTimes } from '../../contracts/activities';
import type { LimitSet } from '../../contracts/gateway/limits';
import type { PlannedShot, ProductionPlan } from '../../contracts/render/plan';
import type { ShotStatus } from '../../contracts/status';
import { lastMomentMs, type SlowTimes, urgentAtMs } from './ready-by-rules';

/** Computes a production's remaining time from its models' usual times. Pure, so testable without a server. */

/** The present state of a production, as far as its remaining time depends on it. */
export interface Remaining {
  readonly plan: Pick<ProductionPlan, 'shots' | 'maxInFlight'>;
  /** The shots that may still get a take for the film and have none yet. */
  readonly open: ReadonlySet<string>;
  /** The open shots that count as unsent: see `remainingOf`. */
  readonly unsent: ReadonlySet<string>;
  readonly slow: SlowTimes;
  readonly limits: KnownTimes['limits'];
}

/**
 * Derives the remaining work from the shots' states.
 *
 * A shot that waits for the budget counts as unsent. So does a rendering shot whose reported takes are all from before
 * its start (`takesBefore`).
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

/** States in which a shot may still get its `filmTake`. */
const OPEN: ReadonlySet<ShotStatus['state']> = new Set(['pending', 'rendering', 'parked']);

/**
 * Returns for each shot its own time (0 if not open) plus the time of the slowest chain of shots after it; null if one
 * of these times is unknown.
 */
export function pathsMs({ plan: { shots }, open, slow }: Remaining): ReadonlyMap<string, number | null> {
  const followers = new Map<string, PlannedShot[]>();
  for (const shot of shots)
    for (const { shot: from } of shot.links) followers.set(from, [...(followers.get(from) ?? []), shot]);
  const paths = new Map<string, number | null>();
  // Links have no cycles, but may point either way in the film. So a shot is computed after those that link to it.
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
 * The least time for all unsent shots under the limits of the plan and the account. Shots of models without a known
 * time add no duration. Other submits of the account are not counted.
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
 * Returns for each unsent shot the last moment at which it can start without its fallback so that all shots are ready
 * in time; null if unknown.
 *
 * @param margin false leaves out the safety margin. A shot that starts after its last moment then makes the film late
 *   if tasks take their usual time.
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
      return [id, margin ? lastMomentMs(readyAtMs, leftMs) : readyAtMs - leftMs];
    }),
  );
}

/** The time from which the production is urgent; null if `pathsMs` has null for every open shot, or none is open. */
export function urgentFromMs(readyAtMs: number, remaining: Remaining): number | null {
  const paths = pathsMs(remaining);
  const known = [...remaining.open].map((id) => paths.get(id)).filter((path) => path != null);
  if (known.length === 0) return null;
  return urgentAtMs(readyAtMs, Math.max(queueMs(remaining), ...known));
}
