import {
  type Begun,
  isSkipped,
  type LedgerDecision,
  currentOutput,
  ledgerState,
  type TakeHistory,
  type LedgerState,
} from '../../store';
import { type OnFailure, type ParkedFor, PASSED_OVER } from '../../contracts/render/decision';
import { type ShotState } from '../../contracts/states';
import { type ShotStatus } from '../../contracts/status';
import { unclearSubmit } from './unclear-submit';

/** The reason of a shot that a person skipped. */
export const LEFT_OUT_BY_PERSON = 'a person left it out';

type StoredState = Pick<ShotStatus, 'state' | 'reason' | 'parked'>;

/**
 * The state of a shot in an open render, from the records of one take. The workflows would report the same state, except
 * `blocked`, `review`, and `parked` for `uncollected` or `budget`, which these records do not show. A failed take counts
 * as `parked` even if the file's `retryFailed` allows a further take.
 *
 * A task may have ended at the gateway after the last record. The ledger has its end only after the next read.
 */
export function storedShot(
  shotId: string,
  history: TakeHistory | undefined,
  render: Begun,
  nowMs = Date.now(),
): StoredState {
  if (history === undefined) return plain('pending');
  // A shot that was skipped in this render stays skipped even if the skip was taken back. The next render includes the
  // shot again.
  if (isSkipped(history) || isDecidedIn(render, history, 'skip')) return plain('skipped', LEFT_OUT_BY_PERSON);
  const byRecords = stateByRecords(history, render, render.deadlines?.[shotId] ?? Infinity, nowMs);
  const shotState = applyOnFailure(byRecords, render.policies?.[shotId]?.onFailure);
  if (shotState.state !== 'parked' && shotState.state !== 'rendering') return shotState;
  return isDecidedIn(render, history, 'resubmit') ? plain('rendering') : shotState;
}

function applyOnFailure(shotState: StoredState, onFailure: OnFailure = 'park'): StoredState {
  if (onFailure === 'park' || shotState.parked === null || !PASSED_OVER.has(shotState.parked.for)) return shotState;
  return plain(onFailure === 'skip' ? 'skipped' : 'failed', shotState.reason);
}

function stateByRecords(history: TakeHistory, render: Begun, deadlineSeconds: number, nowMs: number): StoredState {
  const now = ledgerState(history);
  const unclear = unclearSubmit(history, nowMs);
  // If an earlier render made the request, and its take failed or was refused, this render makes a new take.
  const isOfEarlierRender = history.intent.renderId !== render.renderId;
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
      return isOfEarlierRender ? plain('pending') : plain('failed', now.reason);
    case 'settled': {
      const { state, taskId, reason, at } = now.settled;
      if (state === 'failed') {
        return isOfEarlierRender ? plain('pending') : parked('failed', at, reason ?? 'the gateway gave no reason');
      }
      if (currentOutput(history) !== undefined) return plain('completed');
      return plain('rendering', `task ${taskId} ended at ${at}, and its output is not in the store yet`);
    }
    case 'used':
      return plain(currentOutput(history) === undefined ? 'rendering' : 'completed');
    default:
      return plain('rendering');
  }
}

function refusedForNow({ sendings }: TakeHistory): StoredState {
  const refused = sendings.at(-1)?.refused;
  if (refused === undefined) return plain('rendering');
  if (refused.kind === 'credits') return parked('credits', refused.at, refused.reason);
  return plain('rendering', `not accepted at ${refused.at}: ${refused.reason}`);
}

/** The deadline counts from the acceptance, the start of the render or a decision to wait, whichever is latest. */
function awaitedSinceMs(
  { decisions }: TakeHistory,
  { at }: Extract<LedgerState, { is: 'accepted' }>,
  render: Begun,
): number {
  const waits = decisions.filter(({ kind }) => kind === 'wait');
  return Math.max(...[at, render.at, ...waits.map((wait) => wait.at)].map((time) => Date.parse(time)));
}

/**
 * Whether a decision of this kind was made after the last sending and since the render began. Earlier decisions have
 * already been carried out.
 */
function isDecidedIn(render: Begun, { sendings, decisions }: TakeHistory, kind: LedgerDecision['kind']): boolean {
  const last = sendings.at(-1)?.n ?? 0;
  return decisions.some((one) => one.kind === kind && one.afterSending === last && one.at >= render.at);
}

function plain(state: ShotState, reason: string | null = null): StoredState {
  return { state, reason, parked: null };
}

function parked(parkedFor: ParkedFor, since: string, reason: string): StoredState {
  return { state: 'parked', reason, parked: { for: parkedFor, since } };
}
