import { type Choice } from '../contracts/directing';
import { hasCompleted, isGivenUp, isSkipped, standing, type TakeHistory } from './take-history';
import { countInAsk } from './take-key';

/**
 * Which take answers an ask: the newest that asked for the same, whoever made it. Who pays for takes and who plans them
 * ask here, so that a plan is what a render does.
 */

/** Whose wish it is: the render, and the attempt within it. */
export interface Asker {
  readonly renderId: string;
  readonly attempt: number;
}

/** The takes of a shot that asked for the same, by number. The last one answers, unless it is over. */
export function takesOfAsk(takes: readonly TakeHistory[], ask: string): readonly TakeHistory[] {
  return takes.filter((take) => countOf(take, ask) !== undefined);
}

/** The count of the next take of an ask, after those that asked for the same; some of these may be lost. */
export function nextCount(sameAsk: readonly TakeHistory[], ask: string): number {
  return Math.max(-1, ...sameAsk.map((take) => countOf(take, ask) ?? -1)) + 1;
}

/** Undefined where the take asks for something else. One that was rebuilt may have nothing but its key to tell. */
function countOf({ intent: { askKey, count, takeKey, rebuilt } }: TakeHistory, ask: string): number | undefined {
  if (askKey === ask) return count;
  return rebuilt?.asked === false ? countInAsk(ask, takeKey) : undefined;
}

/**
 * Whether a new take follows the newest one of an ask.
 *
 * One that a person gave up is followed, and one that failed or was refused where this render (or this attempt within
 * it) did not make it: then somebody decided to try again. One that a person left out is not.
 */
export function isOver(newest: TakeHistory, { renderId, attempt }: Asker): boolean {
  if (isSkipped(newest)) return false;
  if (isGivenUp(newest)) return true;
  const { intent } = newest;
  const now = standing(newest);
  const isLost = now.is === 'refused' || (now.is === 'settled' && now.settled.state === 'failed');
  return isLost && (intent.renderId !== renderId || intent.attempt < attempt);
}

/** Whether a take was sent, or left out by a person: by itself it would cost nothing any more. */
export function isAnswered(take: TakeHistory): boolean {
  return isSkipped(take) || standing(take).is !== 'sendable';
}

/** The take that a choice names, as long as it can stand for the shot: it has completed, and nobody gave it up since. */
export function takeOfChoice(takes: readonly TakeHistory[], choice: Choice | undefined): TakeHistory | undefined {
  const chosen = takes.find(({ intent }) => intent.takeKey === choice?.takeKey);
  if (chosen === undefined || isSkipped(chosen) || isGivenUp(chosen)) return undefined;
  return hasCompleted(chosen) ? chosen : undefined;
}
