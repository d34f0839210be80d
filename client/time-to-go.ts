import { type Limits } from '../contracts/limits';

/** Estimates how long open shots still take, from the times of earlier tasks. Pure, so that it is tested as a table. */

/** A shot that is not there yet, and goes on without a person. */
export interface OpenShot {
  readonly id: string;
  readonly model: string;
  /** The open shots whose take it starts on. */
  readonly after: readonly string[];
  /** Of each of its tasks side by side the age in milliseconds; null for one that the gateway has not accepted yet. */
  readonly tasks: readonly (number | null)[];
}

export interface OpenWork {
  readonly shots: readonly OpenShot[];
  /** Most shots under way at once. */
  readonly maxInFlight: number;
  readonly limits: Pick<Limits, 'account' | 'models'>;
  /** Milliseconds that recent tasks of each model took. A model without any is left out. */
  readonly took: ReadonlyMap<string, readonly number[]>;
}

/** Milliseconds: half of the simulated runs end by `medianMs`, four fifths between the other two. */
export interface TimeToGo {
  readonly lowMs: number;
  readonly medianMs: number;
  readonly highMs: number;
}

/** Enough for a tenth and nine tenths that do not jump; a thousand shots take some 20 ms. */
const PLAYED = 200;

/** The same work has the same figures. */
const SEED = 0x5eed;

/**
 * Plays the rest of a production many times, each task as long as one that was seen, chains one after another.
 *
 * Downloads and the film come on top, and what others of the account send meanwhile.
 *
 * @returns null if nothing is open, or if no time of one of the models is known.
 */
export function timeToGo(work: OpenWork): TimeToGo | null {
  const { shots, took } = work;
  if (shots.length === 0 || shots.some(({ model }) => (took.get(model) ?? []).length === 0)) return null;
  const random = randomFrom(SEED);
  const order = inOrder(shots);
  const ends = Array.from({ length: PLAYED }, () => playedMs(work, order, random)).toSorted((a, b) => a - b);
  const at = (share: number): number => ends[Math.round((ends.length - 1) * share)] ?? 0;
  return { lowMs: at(0.1), medianMs: at(0.5), highMs: at(0.9) };
}

/** When all has ended, if each task takes as long as some task that was seen. */
function playedMs({ took, maxInFlight, limits }: OpenWork, order: readonly OpenShot[], random: () => number): number {
  const readyMs = new Map<string, number>();
  const tasks: { readonly model: string; readonly ms: number; readonly isUnsent: boolean }[] = [];
  let end = 0;
  let work = 0;
  for (const { id, model, after, tasks: ages } of order) {
    const start = Math.max(0, ...after.map((from) => readyMs.get(from) ?? 0));
    const lasts = ages.map((age) => leftMs(took.get(model) ?? [], age ?? 0, random));
    tasks.push(...lasts.map((ms, index) => ({ model, ms, isUnsent: ages[index] === null })));
    // A chain goes on with the first that completes; the others are collected all the same.
    readyMs.set(id, start + Math.min(...lasts));
    const longest = Math.max(...lasts);
    end = Math.max(end, start + longest);
    work += longest;
  }
  const ofModels = Object.entries(limits.models).map(([name, limit]) =>
    leastMs(
      tasks.filter(({ model }) => model === name),
      limit,
    ),
  );
  return Math.max(end, work / maxInFlight, leastMs(tasks, limits.account), ...ofModels);
}

/** What a task of this age still takes. One that is older than any seen may end at once, or take what they differ by. */
function leftMs(seen: readonly number[], ageMs: number, random: () => number): number {
  const longer = seen.filter((ms) => ms > ageMs);
  const pick = (from: readonly number[]): number => from[Math.floor(random() * from.length)] ?? 0;
  return longer.length > 0 ? pick(longer) - ageMs : pick(seen) - Math.min(...seen);
}

/** What tasks take at the least, as many at once and as fast after one another as a limit allows. */
function leastMs(
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

/** Each shot after those that it starts on. Links lead in no circle. */
function inOrder(shots: readonly OpenShot[]): readonly OpenShot[] {
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

/** Numbers from 0 to 1, the same from the same seed. Source: mulberry32, in the public domain. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
