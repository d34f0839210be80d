import {
  type Accepted,
  type Answered,
  type LedgerDecision,
  type Intent,
  type Output,
  type Pruned,
  type Refused,
  type Sent,
  type Settled,
  type Unclear,
} from './ledger-records';
import { isOwnTaskId } from './own-task-id';

/** One sending of a take, and its outcome. An acceptance overrides any other record. */
export interface Sending {
  readonly n: number;
  /** Null if the record is lost or cut short; the sending still counts as sent. */
  readonly sent: Sent | null;
  readonly answered?: Answered;
  readonly accepted?: Accepted;
  readonly refused?: Refused;
  readonly unclear?: Unclear;
  /** The task that the gateway accepted, if a person had adopted another task before the answer came. */
  readonly alsoAccepted?: Accepted;
}

/** All that the ledger knows of one take. */
export interface TakeHistory {
  /** Counts from 1 within the shot. */
  readonly take: number;
  readonly intent: Intent;
  /** By n, from 1. */
  readonly sendings: readonly Sending[];
  /** In the order in which they were made. */
  readonly decisions: readonly LedgerDecision[];
  readonly settled?: Settled;
  /** What the take left in the store; for an alias, the output of the take that it stands for. */
  readonly output?: Output;
  /** Present if a person had the output's bytes removed and they were not collected again. */
  readonly pruned?: Pruned;
}

/** The state of a take. `sending`: the answer may still come. `sendable`: it may be sent as number `n`. */
export type TakeStanding =
  | { readonly is: 'sendable'; readonly n: number }
  | { readonly is: 'sending'; readonly n: number; readonly untilMs: number }
  | { readonly is: 'accepted'; readonly taskId: string; readonly at: string }
  | { readonly is: 'unclear'; readonly n: number; readonly reason: string; readonly since: string }
  | { readonly is: 'refused'; readonly reason: string }
  /** The clip is a person's own or, for an alias, another production's take. No task belongs to it. */
  | { readonly is: 'used' }
  | { readonly is: 'settled'; readonly settled: Settled };

/** Derives a take's state from its records. Rules: docs/decisions, "The ledger". */
export function standing(history: TakeHistory): TakeStanding {
  if (lastWord(history)?.kind === 'use' || history.intent.alias !== undefined) return { is: 'used' };
  if (history.settled !== undefined) return { is: 'settled', settled: history.settled };
  const accepted = history.sendings.map(acceptance).find((one) => one !== undefined);
  if (accepted !== undefined) return { is: 'accepted', taskId: accepted.taskId, at: accepted.at };
  const last = history.sendings.at(-1);
  if (last === undefined) return { is: 'sendable', n: 1 };
  if (last.refused !== undefined) {
    if (last.refused.again) return { is: 'sendable', n: last.n + 1 };
    return unclearBefore(history, last.refused) ?? { is: 'refused', reason: last.refused.reason };
  }
  if (last.unclear !== undefined) {
    if (isDecided(history, 'resubmit')) return { is: 'sendable', n: last.n + 1 };
    return { is: 'unclear', n: last.n, ...reasonAndTime(last.unclear) };
  }
  if (last.sent === null) return { is: 'sending', n: last.n, untilMs: 0 };
  return { is: 'sending', n: last.n, untilMs: Date.parse(last.sent.until) };
}

/**
 * The state of a take that was sent again without anybody having checked, and was then refused for good: the earlier
 * sending is still unclear. If a person had it sent again, the person vouched that the first was not accepted; a
 * conflict shows that it was.
 */
function unclearBefore(history: TakeHistory, { kind, reason, at }: Refused): TakeStanding | undefined {
  const { sendings, decisions } = history;
  const before = sendings.findLast(({ unclear }) => unclear !== undefined);
  if (before?.unclear === undefined) return undefined;
  if (isDecided(history, 'resubmit')) return { is: 'sendable', n: lastOf(sendings) + 1 };
  const isVouchedFor = decisions.some(
    (one) => one.by === 'person' && one.kind === 'resubmit' && one.afterSending >= before.n,
  );
  if (isVouchedFor && kind !== 'conflict') return undefined;
  const words = `${before.unclear.reason}; sent again, it was refused: ${reason}`;
  return { is: 'unclear', n: before.n, reason: words, since: at };
}

/** True if the take has an output, or another clip stands in for it. */
export function hasCompleted(history: TakeHistory): boolean {
  const now = standing(history);
  if (now.is === 'settled') return now.settled.state === 'completed';
  return now.is === 'used' && !isOfNothing(history);
}

/** True for an alias of a take without output, such as a failed one. */
export function isOfNothing({ intent, output }: TakeHistory): boolean {
  return intent.alias !== undefined && output === undefined;
}

/** The task that the take was accepted as, even if another clip stands in for it; null if there is none. */
export function taskIdOf({ settled, sendings }: TakeHistory): string | null {
  const accepted = sendings.map(acceptance).find((one) => one !== undefined);
  return settled?.taskId ?? accepted?.taskId ?? null;
}

/**
 * The ids of all tasks of its sendings. An answer without an id belongs to the sending's own task, even if a person has
 * given that task's id.
 */
export function tasksOf({ intent, sendings }: TakeHistory): readonly string[] {
  return sendings.flatMap(({ accepted, alsoAccepted }) => {
    const isNamed = accepted !== undefined && isOwnTaskId(intent.takeKey, alsoAccepted?.taskId ?? '');
    return [accepted?.taskId, isNamed ? undefined : alsoAccepted?.taskId].filter((taskId) => taskId !== undefined);
  });
}

/** True if a sending was definitely not accepted. */
export function isRefused(sending: Sending): boolean {
  return sending.refused !== undefined && acceptance(sending) === undefined;
}

/** True if this render sent the take. A take whose intent an earlier render wrote may have been sent only now. */
export function isSentBy(
  { intent, sendings }: TakeHistory,
  render: { readonly renderId: string; readonly startedAt: string },
): boolean {
  if (intent.renderId === render.renderId) return true;
  return sendings.some(({ sent }) => sent !== null && sent.at >= render.startedAt);
}

/** What the take was charged; null if the gateway has not said; 0 for an alias. */
export function chargeOf({ intent, settled }: TakeHistory): number | null {
  return intent.alias === undefined ? (settled?.credits ?? null) : 0;
}

/**
 * The take's recorded output, if the record is of what counts: a person's clip if one stands in, else this task. Any
 * other record remains from a decision that was interrupted or overruled.
 *
 * @param taskId null for a person's clip, and for an alias.
 */
export function outputOf(history: TakeHistory, taskId: string | null): Output | undefined {
  const { output, intent } = history;
  const given = lastWord(history)?.asset;
  if (taskId === null && given === undefined && intent.alias !== undefined) return output;
  if (output?.taskId !== taskId) return undefined;
  return taskId === null && output.asset.sha256 !== given?.sha256 ? undefined : output;
}

/** The take's output in its current state. */
export function leftBy(history: TakeHistory): Output | undefined {
  const now = standing(history);
  switch (now.is) {
    case 'used':
      return outputOf(history, null);
    case 'settled':
      return outputOf(history, now.settled.taskId);
    case 'accepted':
      return outputOf(history, now.taskId);
    default:
      return undefined;
  }
}

/** True if a decision of this kind was made about the take's last sending. */
function isDecided({ sendings, decisions }: TakeHistory, kind: LedgerDecision['kind']): boolean {
  return decisions.some((one) => one.kind === kind && one.afterSending === lastOf(sendings));
}

/** True if a person left the take out of the film. It stays out until another decision. */
export function isSkipped(history: TakeHistory): boolean {
  return lastWord(history)?.kind === 'skip';
}

/** True if a person gave up a task that failed, is overdue or cannot be collected, and pays for another one. */
export function isGivenUp(history: TakeHistory): boolean {
  const word = lastWord(history);
  return word?.kind === 'resubmit' && word.parkedFor !== undefined && WAS_ACCEPTED.has(word.parkedFor);
}

const WAS_ACCEPTED: ReadonlySet<string> = new Set(['failed', 'overdue', 'uncollected']);

/** The decision in force. A decision to wait changes nothing. */
function lastWord({ decisions }: TakeHistory): LedgerDecision | undefined {
  return decisions.findLast(({ kind }) => kind !== 'wait');
}

/**
 * The acceptance of a sending. An answer counts before its `accepted` record exists. If it names another take's task,
 * the sending has an `unclear` record instead.
 */
export function acceptance({ accepted, answered, unclear }: Sending): Pick<Accepted, 'taskId' | 'at'> | undefined {
  return accepted ?? (unclear === undefined ? answered : undefined);
}

/** The number of the last sending; 0 if there is none. */
function lastOf(sendings: readonly Sending[]): number {
  return sendings.at(-1)?.n ?? 0;
}

function reasonAndTime(unclear: Unclear): { reason: string; since: string } {
  return { reason: unclear.reason, since: unclear.at };
}
