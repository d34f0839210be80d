import { resolveCommand } from '../../contracts/commands';
import { standing, type TakeHistory } from '../../store';
import { type BookedTake } from './takes';

/** A submit of which nobody can say whether the gateway accepted it. */
export interface UnclearSubmit {
  /** Which sending of its take it is. */
  readonly n: number;
  readonly reason: string;
  /** ISO 8601. */
  readonly since: string;
}

/**
 * The submit that leaves a take unclear; undefined if the take is not.
 *
 * One whose sender has run out of time counts too, though no worker has noted it: no answer can come any more.
 */
export function unclearSubmit(history: TakeHistory, nowMs = Date.now()): UnclearSubmit | undefined {
  const now = standing(history);
  if (now.is === 'unclear') return { n: now.n, reason: now.reason, since: now.since };
  if (now.is !== 'sending' || nowMs < now.untilMs) return undefined;
  // A `sent` that a crash cut short tells no time.
  const since = history.sendings.at(-1)?.sent?.until ?? history.intent.at;
  return { n: now.n, reason: 'it was sent, and nobody has noted an answer', since };
}

/** The same, as long as nobody has decided how the take goes on. */
export function openUnclear(history: TakeHistory, nowMs?: number): UnclearSubmit | undefined {
  const unclear = unclearSubmit(history, nowMs);
  const last = history.sendings.at(-1)?.n;
  return history.decisions.some(({ afterSending }) => afterSending === last) ? undefined : unclear;
}

/** What answers an unclear take. It names the take if the shot has another: that one may be parked, too. */
export function unclearCommand(
  { production, shot, history: { take } }: BookedTake,
  all: readonly BookedTake[],
): string {
  const isOnlyOne = all.filter((one) => one.production === production && one.shot === shot).length <= 1;
  return resolveCommand(production, shot, 'unclear', isOnlyOne ? [] : [{ take, for: 'unclear' }]);
}
