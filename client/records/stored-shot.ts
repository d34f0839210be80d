import { isSkipped, type LedgerDecision, leftBy, standing, type TakeHistory, type TakeStanding } from '../../store';
import { type OnFailure, type ParkedFor, PASSED_OVER } from '../../contracts/decision';
import { type ShotState } from '../../contracts/states';
import { type ShotStatus } from '../../contracts/status';
import { unclearSubmit } from './unclear-submit';
import { type Begun } from './production-records';

/** A shot's state, the reason, and since when it is parked. */
type ShotStanding = Pick<ShotStatus, 'state' | 'reason' | 'parked'>;

/**
 * The state of a shot in an open render, by the records of its take only. It is the state that its workflow would
 * report if it could be asked.
 *
 * A task may have ended at the gateway since; only the next read can tell.
 */
export function storedShot(
  shotId: string,
  history: TakeHistory | undefined,
  render: Begun,
  nowMs = Date.now(),
): ShotStanding {
  if (history === undefined) return plain('pending');
  // A shot that was skipped in this render stays skipped even if the skip was taken back. The next render asks for it
  // again.
  if (isSkipped(history) || isDecidedIn(render, history, 'skip')) return plain('skipped', 'a person left it out');
  const byLedger = standsByLedger(history, render, render.deadlines?.[shotId] ?? Infinity, nowMs);
  const stands = passedOver(byLedger, render.policies?.[shotId]?.onFailure);
  if (stands.state !== 'parked' && stands.state !== 'rendering') return stands;
  return isDecidedIn(render, history, 'resubmit') ? plain('rendering') : stands;
}

/** Applies the file's `onFailure` to a parked shot. */
function passedOver(stands: ShotStanding, onFailure: OnFailure = 'park'): ShotStanding {
  if (onFailure === 'park' || stands.parked === null || !PASSED_OVER.has(stands.parked.for)) return stands;
  return plain(onFailure === 'skip' ? 'skipped' : 'failed', stands.reason);
}

function standsByLedger(history: TakeHistory, render: Begun, deadlineSeconds: number, nowMs: number): ShotStanding {
  const now = standing(history);
  const unclear = unclearSubmit(history, nowMs);
  // A take that failed or was refused in an earlier render is followed by a new take in this one.
  const isOver = history.intent.renderId !== render.renderId;
  if (unclear !== undefined) return parked('unclear', unclear.since, unclear.reason);
  switch (now.is) {
    case 'sendable':
      return refusedForNow(history);
    case 'accepted': {
      const dueMs = awaitedSinceMs(history, now, render) + deadlineSeconds * 1_000;
      if (nowMs < dueMs) return plain('rendering');
      const reason = `task ${now.taskId} had not ended within ${deadlineSeconds} s, as far as the ledger knows`;
      return parked('overdue', new Date(dueMs).toISOString(), reason);
    }
    case 'refused':
      return isOver ? plain('pending') : plain('failed', now.reason);
    case 'settled': {
      const { state, taskId, reason, at } = now.settled;
      if (state === 'failed') {
        return isOver ? plain('pending') : parked('failed', at, reason ?? 'the gateway gave no reason');
      }
      if (leftBy(history) !== undefined) return plain('completed');
      return plain('rendering', `task ${taskId} ended at ${at}, and its output is not in the store yet`);
    }
    case 'used':
      return plain(leftBy(history) === undefined ? 'rendering' : 'completed');
    default:
      return plain('rendering');
  }
}

function refusedForNow({ sendings }: TakeHistory): ShotStanding {
  const refused = sendings.at(-1)?.refused;
  if (refused === undefined) return plain('rendering');
  if (refused.kind === 'credits') return parked('credits', refused.at, refused.reason);
  return plain('rendering', `not accepted, since ${refused.at}: ${refused.reason}`);
}

/** The deadline starts at the acceptance, a later render, or a person's decision to wait again, whichever is last. */
function awaitedSinceMs(
  { decisions }: TakeHistory,
  { at }: Extract<TakeStanding, { is: 'accepted' }>,
  render: Begun,
): number {
  const waits = decisions.filter(({ kind }) => kind === 'wait');
  return Math.max(...[at, render.at, ...waits.map((wait) => wait.at)].map((time) => Date.parse(time)));
}

/** Whether the decision was made since the render began. Earlier decisions have already been carried out. */
function isDecidedIn(render: Begun, { sendings, decisions }: TakeHistory, kind: LedgerDecision['kind']): boolean {
  const last = sendings.at(-1)?.n ?? 0;
  return decisions.some((one) => one.kind === kind && one.afterSending === last && one.at >= render.at);
}

function plain(state: ShotState, reason: string | null = null): ShotStanding {
  return { state, reason, parked: null };
}

function parked(parkedFor: ParkedFor, since: string, reason: string): ShotStanding {
  return { state: 'parked', reason, parked: { for: parkedFor, since } };
}
