import { type ShotPolicy } from '../../contracts/render/plan';
import { type ShotAction } from '../../contracts/render/render-plan';
import {
  type Begun,
  needsNewTake,
  isSkipped,
  lostInWords,
  objectionToPolicy,
  ledgerState,
  type TakeHistory,
  type LedgerState,
} from '../../store';
import { isContentRefusal } from '../../workflows/take/failed-task';
import { LEFT_OUT_BY_PERSON, storedShot } from '../records/stored-shot';

export interface PlannedRender {
  /** The running render that the planned render would join; undefined if a new render begins. */
  readonly joined: Begun | undefined;
  /** Keys of the takes whose output is completely in the store. */
  readonly storedTakeKeys: ReadonlySet<string>;
  readonly nowMs: number;
}

export interface PlannedTake {
  readonly action: ShotAction;
  readonly reason: string | null;
  readonly leftOutBy?: 'file';
}

/** The render id of a render that has not begun. No take was made by a render with this id. */
const NEW_RENDER = '';

/**
 * Plans what a render does with the newest take of a shot's request. Undefined if the take is still to be sent for the
 * first time.
 *
 * MAINTENANCE: keep in step with activities/pay/pay-step.ts, and with workflows/take/next-step.ts for parked takes.
 */
export function planTake(
  shotId: string,
  history: TakeHistory,
  policy: ShotPolicy,
  { joined, storedTakeKeys, nowMs }: PlannedRender,
): PlannedTake | undefined {
  const inRender = joined === undefined ? undefined : storedShot(shotId, history, joined, nowMs);
  if (isSkipped(history) || inRender?.state === 'skipped') {
    const isByPerson = isSkipped(history) || inRender?.reason === LEFT_OUT_BY_PERSON;
    return { action: 'skipped', reason: lastProblem(history), ...(isByPerson ? {} : { leftOutBy: 'file' as const }) };
  }

  const asker = { renderId: joined?.renderId ?? NEW_RENDER, attempt: nextAttempt(history, policy) };
  if (needsNewTake(history, asker)) return { action: 'again', reason: lastProblem(history) ?? 'a person gave it up' };
  const now = ledgerState(history);
  if (isUnclear(now, nowMs)) {
    const isResent = policy.onUnclear === 'resubmit' && objectionToPolicy(history) === undefined;
    return { action: isResent ? 'again' : 'waits', reason: lastProblem(history) ?? 'no answer is recorded' };
  }
  if (inRender?.state === 'parked') return { action: 'waits', reason: inRender.reason };
  if (inRender?.state === 'failed') return { action: 'failed', reason: inRender.reason };
  switch (now.is) {
    case 'sendable':
      return now.n === 1 ? undefined : { action: 'again', reason: lastProblem(history) };
    case 'used':
      return storedTakeKeys.has(history.intent.takeKey)
        ? { action: 'reused', reason: null }
        : { action: 'waits', reason: lostInWords(history) };
    case 'settled':
      return { action: storedTakeKeys.has(history.intent.takeKey) ? 'reused' : 'collected', reason: null };
    default:
      return { action: 'collected', reason: null };
  }
}

/**
 * The attempt number with which the render requests the take: the next number if the policy retries a failed take, or
 * else the take's own attempt number. With its own number, a failed take is not replaced in the render that made it.
 */
function nextAttempt({ intent, settled }: TakeHistory, { retryFailed }: ShotPolicy): number {
  const isRetried = settled?.state === 'failed' && !isContentRefusal(settled.reason ?? '');
  return isRetried && intent.attempt <= retryFailed ? intent.attempt + 1 : intent.attempt;
}

/** True also if the time limit of the submit has passed, because its sender then no longer waits for an answer. */
function isUnclear(now: LedgerState, nowMs: number): boolean {
  return now.is === 'unclear' || (now.is === 'sending' && nowMs >= now.untilMs);
}

/** Why the take failed, or else why its last sending was refused or became unclear; null if neither. */
export function lastProblem({ settled, sendings }: TakeHistory): string | null {
  const last = sendings.at(-1);
  if (settled?.state === 'failed') return settled.reason ?? 'the gateway gave no reason';
  return last?.refused?.reason ?? last?.unclear?.reason ?? null;
}
