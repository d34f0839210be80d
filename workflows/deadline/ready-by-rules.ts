/**
 * The rules of `readyBy` that productions and batches share: when work becomes urgent, the last moment at which it can
 * start without the fallback, and the warning. Pure, so that they can be tested without a server.
 *
 * See docs/decisions/0022-ready-by.md.
 */

/** Time within which nine of ten tasks ended, by model, in milliseconds. Models without a known time are left out. */
export type SlowTimes = Readonly<Record<string, number>>;

/** Time for collecting, frames and the film: a fifth of the tasks' time, at least ten seconds. */
const MARGIN_SHARE = 0.2;
const LEAST_MARGIN_MS = 10_000;

/** How long before `readyBy` work becomes urgent, as a multiple of the time that it still needs. */
const URGENT_FACTOR = 2;

/** The last moment at which work that takes `leftMs` can start without the fallback and still be ready in time. */
export function lastMomentMs(readyAtMs: number, leftMs: number): number {
  return readyAtMs - leftMs - Math.max(LEAST_MARGIN_MS, leftMs * MARGIN_SHARE);
}

export function urgentAtMs(readyAtMs: number, leftMs: number): number {
  return readyAtMs - URGENT_FACTOR * leftMs;
}

export function untimedModels(models: Iterable<string>, slow: SlowTimes): readonly string[] {
  return [...models].filter((model) => slow[model] === undefined);
}

/** The progress of a production or batch towards its `readyBy`, which is `atMs`. */
export interface Prospect {
  readonly nowMs: number;
  readonly atMs: number;
  /** Whether anything is left to do. */
  readonly isOpen: boolean;
  readonly hasFallback: boolean;
  /** The shots whose last moment has come; for a batch, an empty list. Null if no last moment has come. */
  readonly late: readonly string[] | null;
  /** Like `late`, but the last moment has no margin, and shots that can still use the fallback are left out. */
  readonly overdue: readonly string[] | null;
  /** Models whose usual time is unknown and needed. */
  readonly untimed: readonly string[];
}

/** Why work may not be ready in time; null if there is no such reason. */
export function warningOf({ nowMs, atMs, isOpen, hasFallback, late, overdue, untimed }: Prospect): string | null {
  if (!isOpen) return null;
  if (nowMs > atMs) return 'the time has passed';
  if (late !== null && !hasFallback) return `it may be late, and its file names no fallback${named(late)}`;
  if (overdue !== null) return `it may be late${named(overdue)}`;
  return untimed.length === 0 ? null : `how long tasks of ${untimed.join(', ')} take is not known yet`;
}

function named(shots: readonly string[]): string {
  return shots.length === 0 ? '' : `: ${shots.join(', ')}`;
}
