import { type Limits } from '../../contracts/gateway/limits';

/** Estimates the remaining time of open shots from the durations of recent tasks. */

/** A shot whose tasks run, or will run, without a person's decision. */
export interface OpenShot {
  readonly id: string;
  readonly model: string;
  /** Ids of the open shots whose take this shot must wait for. */
  readonly after: readonly string[];
  /** The ages of the shot's tasks, in milliseconds; null for a task that is not known to be accepted. */
  readonly tasks: readonly (number | null)[];
}

export interface OpenWork {
  readonly shots: readonly OpenShot[];
  /** Maximum number of shots that run at once. */
  readonly maxInFlight: number;
  readonly limits: Pick<Limits, 'account' | 'models'>;
  /** The durations of recent tasks in milliseconds, by model. Empty or absent for a model without recent tasks. */
  readonly recentMs: ReadonlyMap<string, readonly number[]>;
}

/**
 * A remaining time with its range. In a result of `timeToGo`, half of the simulated runs end by `medianMs`, and four
 * fifths of them end between `lowMs` and `highMs`. Other functions document their own range.
 */
export interface TimeToGo {
  readonly lowMs: number;
  readonly medianMs: number;
  readonly highMs: number;
}

/** Enough for stable deciles. With a thousand shots the simulations take about 0.1 s. */
const SIMULATIONS = 200;

/** Fixed, so that the same work has the same estimate. */
const SEED = 0x5eed;

/**
 * Simulates the rest of a production many times. Each task takes as long as a random recent task of its model. A shot
 * begins when each shot in its `after` has completed one take.
 *
 * Not included: downloads, assembly, and other work of the account.
 *
 * @returns null if nothing is open, or if a model has no recent task.
 */
export function timeToGo(work: OpenWork): TimeToGo | null {
  const { shots, recentMs } = work;
  if (shots.length === 0 || shots.some(({ model }) => (recentMs.get(model) ?? []).length === 0)) return null;
  const random = randomFrom(SEED);
  const order = byLinks(shots);
  const ends = Array.from({ length: SIMULATIONS }, () => simulateMs(work, order, random)).toSorted((a, b) => a - b);
  const at = (share: number): number => ends[Math.round((ends.length - 1) * share)] ?? 0;
  return { lowMs: at(0.1), medianMs: at(0.5), highMs: at(0.9) };
}

/** The time from the start to the end of one simulated run, in milliseconds. */
function simulateMs(
  { recentMs, maxInFlight, limits }: OpenWork,
  order: readonly OpenShot[],
  random: () => number,
): number {
  const readyMs = new Map<string, number>();
  const tasks: { readonly model: string; readonly ms: number; readonly isUnsent: boolean }[] = [];
  let end = 0;
  let work = 0;
  for (const { id, model, after, tasks: ages } of order) {
    const start = Math.max(0, ...after.map((from) => readyMs.get(from) ?? 0));
    const lasts = ages.map((age) => remainingMs(recentMs.get(model) ?? [], age ?? 0, random));
    tasks.push(...lasts.map((ms, index) => ({ model, ms, isUnsent: ages[index] === null })));
    // Linked shots begin after the shot's first completed take. The production ends after all takes.
    readyMs.set(id, start + Math.min(...lasts));
    const longest = Math.max(...lasts);
    end = Math.max(end, start + longest);
    work += longest;
  }
  const ofModels = Object.entries(limits.models).map(([name, limit]) =>
    minimumMs(
      tasks.filter(({ model }) => model === name),
      limit,
    ),
  );
  return Math.max(end, work / maxInFlight, minimumMs(tasks, limits.account), ...ofModels);
}

/**
 * The remaining time of a task: a random recent duration that is longer than the task's age, minus this age. If no
 * recent duration is longer, the result is a random recent duration minus the shortest one.
 */
function remainingMs(seen: readonly number[], ageMs: number, random: () => number): number {
  const longer = seen.filter((ms) => ms > ageMs);
  const pick = (from: readonly number[]): number => from[Math.floor(random() * from.length)] ?? 0;
  return longer.length > 0 ? pick(longer) - ageMs : pick(seen) - Math.min(...seen);
}

/** The minimum time for tasks under limits of concurrency and rate. */
function minimumMs(
  tasks: readonly { readonly ms: number; readonly isUnsent: boolean }[],
  { inFlight, perSecond, perMinute }: Limits['account'],
): number {
  const sum = tasks.reduce((total, { ms }) => total + ms, 0);
  const unsent = tasks.filter(({ isUnsent }) => isUnsent).length;
  return Math.max(
    sum / (inFlight ?? Infinity),
    (unsent * 1_000) / (perSecond ?? Infinity),
    (unsent * 60_000) / (perMinute ?? Infinity),
  );
}

/** Sorts each shot after the shots in its `after`. Terminates, because links have no cycles. */
function byLinks(shots: readonly OpenShot[]): readonly OpenShot[] {
  const byId = new Map(shots.map((shot) => [shot.id, shot]));
  const ordered = new Map<string, OpenShot>();
  for (const shot of shots) {
    const stack = [shot];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const missing = top.after.filter((id) => !ordered.has(id)).flatMap((id) => byId.get(id) ?? []);
      if (missing.length > 0) stack.push(...missing);
      else {
        stack.pop();
        ordered.set(top.id, top);
      }
    }
  }
  return [...ordered.values()];
}

/** Random numbers from 0 up to 1, in the same sequence for the same seed. Source: mulberry32, in the public domain. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
