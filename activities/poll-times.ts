import { type UsualTime } from '../store';

/**
 * When to read a task's result next: pure, so that it can be tested and simulated.
 *
 * The first read falls just before the quickest tasks of that model usually end; from then on reads are spaced by a
 * share of the model's usual spread, growing as the task gets older than usual.
 */

/** Longest time between two reads, whatever the model: a person is waiting. */
export const POLL_CEILING_MS = 30_000;

/** Longest time to the first read: what is usual may change, and a person waits. */
export const FIRST_READ_CEILING_MS = 10 * 60_000;

/** Time between reads, as a share of the task's age, where nothing is known of the model. */
const SHARE_OF_AGE = 0.1;

/** Time between reads, as a share of the usual spread, while the task is no older than usual. */
const SHARE_OF_SPREAD = 0.15;

/** Spread of reads around their time, so that a thousand tasks submitted at once are not read at once. */
const JITTER = 0.1;

export interface PollSituation {
  /** Time since the gateway accepted the task. */
  readonly ageMs: number;
  readonly usual: UsualTime | undefined;
  readonly floorMs: number;
  /** 0 to 1. */
  readonly random: number;
}

/** Milliseconds from now to the next read. */
export function nextReadMs({ ageMs, usual, floorMs, random }: PollSituation): number {
  const jittered = (ms: number): number => ms * (1 - JITTER + 2 * JITTER * random);
  const quickMs = Math.min(usual?.quickMs ?? 0, FIRST_READ_CEILING_MS);
  const spacingMs = clamp(spacing(ageMs, usual), floorMs, Math.max(floorMs, POLL_CEILING_MS));
  if (ageMs < quickMs) return Math.max(jittered(quickMs - ageMs), Math.min(floorMs, quickMs));
  return jittered(spacingMs);
}

function spacing(ageMs: number, usual: UsualTime | undefined): number {
  if (usual === undefined) return ageMs * SHARE_OF_AGE;
  const spreadMs = usual.slowMs - usual.quickMs;
  const overdueMs = Math.max(0, ageMs - usual.slowMs);
  return spreadMs * SHARE_OF_SPREAD + overdueMs * SHARE_OF_AGE;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
