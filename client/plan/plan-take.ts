import { type ShotPolicy } from '../../contracts/plan';
import { type ShotAction } from '../../contracts/render-plan';
import {
  isOver,
  isSkipped,
  lostInWords,
  objectionToPolicy,
  standing,
  type TakeHistory,
  type TakeStanding,
} from '../../store';
import { isContentRefusal } from '../../workflows/take/failed-task';
import { type Begun } from '../records/production-records';
import { storedShot } from '../records/stored-shot';

export interface PlannedRender {
  /** The running render that it would join; undefined if a new one begins. */
  readonly joins: Begun | undefined;
  /** Keys of the takes whose output is completely in the store. */
  readonly whole: ReadonlySet<string>;
  readonly nowMs: number;
}

export interface PlannedTake {
  readonly action: ShotAction;
  readonly reason: string | null;
}

/** A new render's id, which no take has. */
const NEW_RENDER = '';

/**
 * What a render does with the take of a shot's request; undefined for a take that was never sent, which counts as none.
 *
 * MAINTENANCE: keep in step with activities/pay-step.ts, and with workflows/take/next-step.ts for what is parked.
 */
export function planTake(
  shotId: string,
  history: TakeHistory,
  policy: ShotPolicy,
  { joins, whole, nowMs }: PlannedRender,
): PlannedTake | undefined {
  const stands = joins === undefined ? undefined : storedShot(shotId, history, joins, nowMs);
  if (isSkipped(history) || stands?.state === 'skipped') return { action: 'skipped', reason: troubleOf(history) };

  const asker = { renderId: joins?.renderId ?? NEW_RENDER, attempt: nextAttempt(history, policy) };
  if (isOver(history, asker)) return { action: 'again', reason: troubleOf(history) ?? 'a person gave it up' };
  const now = standing(history);
  if (isUnclear(now, nowMs)) {
    const isResent = policy.onUnclear === 'resubmit' && objectionToPolicy(history) === undefined;
    return { action: isResent ? 'again' : 'waits', reason: troubleOf(history) ?? 'nobody has noted an answer to it' };
  }
  if (stands?.state === 'parked') return { action: 'waits', reason: stands.reason };
  if (stands?.state === 'failed') return { action: 'failed', reason: stands.reason };
  switch (now.is) {
    case 'sendable':
      return now.n === 1 ? undefined : { action: 'again', reason: troubleOf(history) };
    case 'used':
      return whole.has(history.intent.takeKey)
        ? { action: 'reused', reason: null }
        : { action: 'waits', reason: lostInWords(history) };
    case 'settled':
      return { action: whole.has(history.intent.takeKey) ? 'reused' : 'collected', reason: null };
    default:
      return { action: 'collected', reason: null };
  }
}

/**
 * The next attempt if a failed take is retried automatically in the render that made it; otherwise the same attempt,
 * which costs nothing.
 */
function nextAttempt({ intent, settled }: TakeHistory, { retryFailed }: ShotPolicy): number {
  const isRetried = settled?.state === 'failed' && !isContentRefusal(settled.reason ?? '');
  return isRetried && intent.attempt <= retryFailed ? intent.attempt + 1 : intent.attempt;
}

/** Also true if the sender's time limit has passed, since no answer can arrive any more. */
function isUnclear(now: TakeStanding, nowMs: number): boolean {
  return now.is === 'unclear' || (now.is === 'sending' && nowMs >= now.untilMs);
}

/** The last error of a take; null if there was none. */
export function troubleOf({ settled, sendings }: TakeHistory): string | null {
  const last = sendings.at(-1);
  if (settled?.state === 'failed') return settled.reason ?? 'the gateway gave no reason';
  return last?.refused?.reason ?? last?.unclear?.reason ?? null;
}
