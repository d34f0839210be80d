import { hasCompleted, ledgerState, type TakeHistory } from '../../store';

/** A submit that the gateway may or may not have accepted. */
export interface UnclearSubmit {
  /** The number of the sending within its take. */
  readonly n: number;
  readonly reason: string;
  /** ISO 8601. */
  readonly since: string;
}

/**
 * The submit that makes a take unclear; undefined if none does.
 *
 * A sending whose time limit has passed is unclear even before a worker records that, because its sender no longer
 * waits for an answer.
 */
export function unclearSubmit(history: TakeHistory, nowMs = Date.now()): UnclearSubmit | undefined {
  const now = ledgerState(history);
  if (now.is === 'unclear') return { n: now.n, reason: now.reason, since: now.since };
  if (now.is !== 'sending' || nowMs < now.untilMs) return undefined;
  // A crash may have cut the `sent` record short, so that `until` is missing.
  const since = history.sendings.at(-1)?.sent?.until ?? history.intent.at;
  return { n: now.n, reason: 'it was sent, and no answer is recorded', since };
}

/** The unclear submit of a take; undefined if there is none, or if there is a decision about it. */
export function openUnclear(history: TakeHistory, nowMs?: number): UnclearSubmit | undefined {
  const unclear = unclearSubmit(history, nowMs);
  const last = history.sendings.at(-1)?.n;
  return history.decisions.some(({ afterSending }) => afterSending === last) ? undefined : unclear;
}

/** Names a submit within its shot, such as `2/1` for the first sending of take 2. */
export function submitName({ take }: TakeHistory, { n }: UnclearSubmit): string {
  return `${take}/${n}`;
}

/** Whether another take of the same shot and render has completed. The shot then does not wait for this take. */
export function hasCompletedBeside({ take, intent }: TakeHistory, ofShot: readonly TakeHistory[]): boolean {
  return ofShot.some((one) => one.take !== take && one.intent.renderId === intent.renderId && hasCompleted(one));
}
