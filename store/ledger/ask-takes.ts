import { type Choice } from '../../contracts/render/directing';
import { hasCompleted, isGivenUp, isSkipped, ledgerState, type TakeHistory } from './take-history';
import { countInAsk } from './take-key';

/**
 * Decides which take answers an ask (the request that `askKey` identifies): a chosen take, or the newest take with the
 * same ask, whichever render made it. Renders and plans both use these functions, so that a plan predicts the render.
 */

/** The render that asks, and the attempt within the render. */
export interface Asker {
  readonly renderId: string;
  readonly attempt: number;
}

/** The takes of a shot with this ask, newest last. `claimTake` says which take answers the ask. */
export function takesOfAsk(takes: readonly TakeHistory[], ask: string): readonly TakeHistory[] {
  return takes.filter((take) => countOf(take, ask) !== undefined);
}

/** The count of the next take of an ask: one more than the highest count, since the ledger may lack earlier takes. */
export function nextCount(sameAsk: readonly TakeHistory[], ask: string): number {
  return Math.max(-1, ...sameAsk.map((take) => countOf(take, ask) ?? -1)) + 1;
}

/**
 * A take's count in an ask; undefined if the take belongs to another ask. If a rebuilt take lost its ask key, the count
 * is found by the take key.
 */
function countOf({ intent: { askKey, count, takeKey, rebuilt } }: TakeHistory, ask: string): number | undefined {
  if (askKey === ask) return count;
  return rebuilt?.asked === false ? countInAsk(ask, takeKey) : undefined;
}

/**
 * True if an ask needs a new take, because its newest take
 * - was given up; or
 * - failed or was refused in another render or an earlier attempt: a new render or attempt is a decision to try again.
 *
 * A take that a person skipped still answers its ask.
 */
export function needsNewTake(newest: TakeHistory, { renderId, attempt }: Asker): boolean {
  if (isSkipped(newest)) return false;
  if (isGivenUp(newest)) return true;
  const { intent } = newest;
  const now = ledgerState(newest);
  const hasFailed = now.is === 'refused' || (now.is === 'settled' && now.settled.state === 'failed');
  return hasFailed && (intent.renderId !== renderId || intent.attempt < attempt);
}

/** False if the take is still to be sent and was not skipped. */
export function isAnswered(take: TakeHistory): boolean {
  return isSkipped(take) || ledgerState(take).is !== 'sendable';
}

/** The take that a choice names; undefined if the take has not completed, or was skipped or given up. */
export function takeOfChoice(takes: readonly TakeHistory[], choice: Choice | undefined): TakeHistory | undefined {
  const chosen = takes.find(({ intent }) => intent.takeKey === choice?.takeKey);
  if (chosen === undefined || isSkipped(chosen) || isGivenUp(chosen)) return undefined;
  return hasCompleted(chosen) ? chosen : undefined;
}
