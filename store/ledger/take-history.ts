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

/** The records of one sending of a take. An acceptance overrides the other outcomes. */
export interface Sending {
  readonly n: number;
  /** Null if the record is lost or cut short. The take still counts as sent. */
  readonly sent: Sent | null;
  readonly answered?: Answered;
  readonly accepted?: Accepted;
  readonly refused?: Refused;
  readonly unclear?: Unclear;
  /** Another accepted task of the take, for example one whose answer came after a person had adopted a task. */
  readonly alsoAccepted?: Accepted;
}

/** All records of one take. */
export interface TakeHistory {
  /** Counts from 1 within the shot. */
  readonly take: number;
  readonly intent: Intent;
  /** In the order of `n`, which counts from 1. */
  readonly sendings: readonly Sending[];
  /** In the order in which they were made. */
  readonly decisions: readonly LedgerDecision[];
  /** The numbers of the decisions' records. Absent if they are 1, 2, …; a restored ledger may have gaps. */
  readonly decisionNumbers?: readonly number[];
  readonly settled?: Settled;
  /** An alias has the output of the take that it reuses. */
  readonly output?: Output;
  /** Present if a prune removed the output's bytes and they were not collected again. */
  readonly pruned?: Pruned;
}

/** State from a take's records. `sendable`: sending `n` may begin. `sending`: an answer may come until `untilMs`. */
export type LedgerState =
  | { readonly is: 'sendable'; readonly n: number }
  | { readonly is: 'sending'; readonly n: number; readonly untilMs: number }
  | { readonly is: 'accepted'; readonly taskId: string; readonly at: string }
  | { readonly is: 'unclear'; readonly n: number; readonly reason: string; readonly since: string }
  | { readonly is: 'refused'; readonly reason: string }
  /** A person's own clip replaces the take's clip, or the take is an alias. */
  | { readonly is: 'used' }
  | { readonly is: 'settled'; readonly settled: Settled };

/** Derives a take's state from its records. Rules: docs/decisions/0002-ledger.md. */
export function ledgerState(history: TakeHistory): LedgerState {
  if (decisionInForce(history)?.kind === 'use' || history.intent.alias !== undefined) return { is: 'used' };
  if (history.settled !== undefined) return { is: 'settled', settled: history.settled };
  const accepted = history.sendings.map(acceptance).find((one) => one !== undefined);
  if (accepted !== undefined) return { is: 'accepted', taskId: accepted.taskId, at: accepted.at };
  const last = history.sendings.at(-1);
  if (last === undefined) return { is: 'sendable', n: 1 };
  if (last.refused !== undefined) {
    if (last.refused.again) return { is: 'sendable', n: last.n + 1 };
    return earlierUnclear(history, last.refused) ?? { is: 'refused', reason: last.refused.reason };
  }
  if (last.unclear !== undefined) {
    if (isDecided(history, 'resubmit')) return { is: 'sendable', n: last.n + 1 };
    return { is: 'unclear', n: last.n, ...reasonAndTime(last.unclear) };
  }
  if (last.sent === null) return { is: 'sending', n: last.n, untilMs: 0 };
  return { is: 'sending', n: last.n, untilMs: Date.parse(last.sent.until) };
}

/**
 * The state of a take whose unclear sending was followed by a final refusal; undefined if the refusal ends the take.
 *
 * The take stays unclear, unless a person had decided to send it again. That decision states that the gateway did not
 * accept the unclear sending. A conflict (409) overrides that decision: the gateway may know the take's idempotency key
 * from the unclear sending. A decision to send again that follows the refusal allows another sending.
 */
function earlierUnclear(history: TakeHistory, { kind, reason, at }: Refused): LedgerState | undefined {
  const { sendings, decisions } = history;
  const before = sendings.findLast(({ unclear }) => unclear !== undefined);
  if (before?.unclear === undefined) return undefined;
  if (isDecided(history, 'resubmit')) return { is: 'sendable', n: lastSendingNumber(sendings) + 1 };
  const hasPersonResent = decisions.some(
    (one) => one.by === 'person' && one.kind === 'resubmit' && one.afterSending >= before.n,
  );
  if (hasPersonResent && kind !== 'conflict') return undefined;
  const words = `${before.unclear.reason}; sent again, it was refused: ${reason}`;
  return { is: 'unclear', n: before.n, reason: words, since: at };
}

/**
 * True if the task has completed, or if the take has a person's own clip or a reused clip. False for an alias without
 * output.
 */
export function hasCompleted(history: TakeHistory): boolean {
  const now = ledgerState(history);
  if (now.is === 'settled') return now.settled.state === 'completed';
  return now.is === 'used' && !isAliasWithoutOutput(history);
}

/** True if the take is an alias of a take without output, such as a failed one. */
export function isAliasWithoutOutput({ intent, output }: TakeHistory): boolean {
  return intent.alias !== undefined && output === undefined;
}

/** The id of the take's accepted task, even if another clip replaces its output; null if there is none. */
export function taskIdOf({ settled, sendings }: TakeHistory): string | null {
  const accepted = sendings.map(acceptance).find((one) => one !== undefined);
  return settled?.taskId ?? accepted?.taskId ?? null;
}

/**
 * The ids of all accepted tasks of the take (`acceptance`, and `also-accepted` records). If a sending has both, an
 * `also-accepted` id that Dailies made is omitted: both ids name the same task.
 */
export function tasksOf({ intent, sendings }: TakeHistory): readonly string[] {
  return sendings.flatMap((sending) => {
    const accepted = acceptance(sending)?.taskId;
    const also = sending.alsoAccepted?.taskId;
    const isNamed = accepted !== undefined && isOwnTaskId(intent.takeKey, also ?? '');
    return [accepted, isNamed ? undefined : also].filter((taskId) => taskId !== undefined);
  });
}

/** True if a sending was definitely not accepted. */
export function isRefused(sending: Sending): boolean {
  return sending.refused !== undefined && acceptance(sending) === undefined;
}

/** True if this render wrote the take's intent, or if the take was sent after this render started. */
export function isSentBy(
  { intent, sendings }: TakeHistory,
  render: { readonly renderId: string; readonly startedAt: string },
): boolean {
  if (intent.renderId === render.renderId) return true;
  return sendings.some(({ sent }) => sent !== null && sent.at >= render.startedAt);
}

/** The take's charge in credits; null if the gateway has not stated it; 0 for an alias. */
export function chargeOf({ intent, settled }: TakeHistory): number | null {
  return intent.alias === undefined ? (settled?.credits ?? null) : 0;
}

/**
 * The take's recorded output if it belongs to the given task or the person's clip in use, or if the take is an alias.
 * Any other output is left over from a decision that was interrupted or replaced.
 *
 * @param taskId null for a person's clip and for an alias.
 */
export function outputOf(history: TakeHistory, taskId: string | null): Output | undefined {
  const { output, intent } = history;
  const given = decisionInForce(history)?.asset;
  if (taskId === null && given === undefined && intent.alias !== undefined) return output;
  if (output?.taskId !== taskId) return undefined;
  return taskId === null && output.asset.sha256 !== given?.sha256 ? undefined : output;
}

/** The output that the take has in its current state; undefined if there is none. */
export function currentOutput(history: TakeHistory): Output | undefined {
  const now = ledgerState(history);
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

/** True if a decision of this kind was made after the take's last sending. */
function isDecided({ sendings, decisions }: TakeHistory, kind: LedgerDecision['kind']): boolean {
  return decisions.some((one) => one.kind === kind && one.afterSending === lastSendingNumber(sendings));
}

/** The number of the take's last decision; 0 if there is none. */
export function lastDecisionNumber({ decisions, decisionNumbers }: TakeHistory): number {
  return decisionNumbers?.at(-1) ?? decisions.length;
}

/** The first decision whose number is greater than `n`. */
export function decisionAfter({ decisions, decisionNumbers }: TakeHistory, n: number): LedgerDecision | undefined {
  return decisions.find((_, index) => (decisionNumbers?.[index] ?? index + 1) > n);
}

/** True if the decision in force leaves the take out of the film. */
export function isSkipped(history: TakeHistory): boolean {
  return decisionInForce(history)?.kind === 'skip';
}

/** True if the decision in force replaces a failed, overdue or uncollectable task by another paid one. */
export function isGivenUp(history: TakeHistory): boolean {
  const word = decisionInForce(history);
  return word?.kind === 'resubmit' && word.parkedFor !== undefined && WAS_ACCEPTED.has(word.parkedFor);
}

const WAS_ACCEPTED: ReadonlySet<string> = new Set(['failed', 'overdue', 'uncollected']);

/** The last decision, except decisions to wait, which change nothing. */
function decisionInForce({ decisions }: TakeHistory): LedgerDecision | undefined {
  return decisions.findLast(({ kind }) => kind !== 'wait');
}

/**
 * The acceptance of a sending. An answer counts as an acceptance even before the `accepted` record exists. But if the
 * answer named another take's task, the sending has an `unclear` record, and the answer does not count.
 */
export function acceptance({ accepted, answered, unclear }: Sending): Pick<Accepted, 'taskId' | 'at'> | undefined {
  return accepted ?? (unclear === undefined ? answered : undefined);
}

/** The number of the last sending; 0 if there is none. */
function lastSendingNumber(sendings: readonly Sending[]): number {
  return sendings.at(-1)?.n ?? 0;
}

function reasonAndTime(unclear: Unclear): { reason: string; since: string } {
  return { reason: unclear.reason, since: unclear.at };
}
