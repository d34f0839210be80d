import { type Choice } from '../contracts/directing';
import { hasCompleted, isGivenUp, isSkipped, standing, type TakeHistory } from './take-history';
import { countInAsk } from './take-key';

/**
 * Decides which take answers an ask: the newest take with the same ask, whichever render made it. Renders and plans
 * both use these functions, so a plan says what a render does.
 */

/** The render, and the attempt within it, that has the ask. */
export interface Asker {
  readonly renderId: string;
  readonly attempt: number;
}

/** The takes of a shot with this ask, by number. The last one answers it, unless that take is over. */
export function takesOfAsk(takes: readonly TakeHistory[], ask: string): readonly TakeHistory[] {
  return takes.filter((take) => countOf(take, ask) !== undefined);
}

/** The count of the next take of an ask. Takes before it may be missing from the ledger. */
export function nextCount(sameAsk: readonly TakeHistory[], ask: string): number {
  return Math.max(-1, ...sameAsk.map((take) => countOf(take, ask) ?? -1)) + 1;
}

/** Undefined if the take has another ask. A rebuilt take may have lost its ask; then its take key identifies it. */
function countOf({ intent: { askKey, count, takeKey, rebuilt } }: TakeHistory, ask: string): number | undefined {
  if (askKey === ask) return count;
  return rebuilt?.asked === false ? countInAsk(ask, takeKey) : undefined;
}

/**
 * True if a new take follows the newest take of an ask.
 *
 * That is so if a person gave the newest take up, or if it failed or was refused in another render or an earlier
 * attempt: then somebody decided to try again. A take that a person skipped is not followed.
 */
export function isOver(newest: TakeHistory, { renderId, attempt }: Asker): boolean {
  if (isSkipped(newest)) return false;
  if (isGivenUp(newest)) return true;
  const { intent } = newest;
  const now = standing(newest);
  const isLost = now.is === 'refused' || (now.is === 'settled' && now.settled.state === 'failed');
  return isLost && (intent.renderId !== renderId || intent.attempt < attempt);
}

/** True if the take was sent or skipped, so that it costs nothing more by itself. */
export function isAnswered(take: TakeHistory): boolean {
  return isSkipped(take) || standing(take).is !== 'sendable';
}

/**
 * The take that a choice names, if it can stand for the shot: it has completed, and nobody has skipped it or given it
 * up since.
 */
export function takeOfChoice(takes: readonly TakeHistory[], choice: Choice | undefined): TakeHistory | undefined {
  const chosen = takes.find(({ intent }) => intent.takeKey === choice?.takeKey);
  if (chosen === undefined || isSkipped(chosen) || isGivenUp(chosen)) return undefined;
  return hasCompleted(chosen) ? chosen : undefined;
}
