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

/** One sending of a take and what came of it. An acceptance overrides whatever else was noted. */
export interface Sending {
  readonly n: number;
  /** Null if the record is lost or cut short; the sending still counts as sent. */
  readonly sent: Sent | null;
  readonly answered?: Answered;
  readonly accepted?: Accepted;
  readonly refused?: Refused;
  readonly unclear?: Unclear;
  /** What the gateway did accept, where a person had adopted another task before the answer came. */
  readonly alsoAccepted?: Accepted;
}

/** All that the ledger knows of one take. */
export interface TakeHistory {
  /** Counts from 1 within the shot. */
  readonly take: number;
  readonly intent: Intent;
  /** By n, from 1. */
  readonly sendings: readonly Sending[];
  /** In the order in which they were taken. */
  readonly decisions: readonly LedgerDecision[];
  readonly settled?: Settled;
  /** What it left in the store; of an alias, what the take left that it stands for. */
  readonly output?: Output;
  /** A person had the bytes of its output freed, and they were not collected anew since. */
  readonly pruned?: Pruned;
}

/** Where a take stands. `sending` is one whose answer may still come; `sendable` may be sent as number `n`. */
export type TakeStanding =
  | { readonly is: 'sendable'; readonly n: number }
  | { readonly is: 'sending'; readonly n: number; readonly untilMs: number }
  | { readonly is: 'accepted'; readonly taskId: string; readonly at: string }
  | { readonly is: 'unclear'; readonly n: number; readonly reason: string; readonly since: string }
  | { readonly is: 'refused'; readonly reason: string }
  /** No task stands for it: it is a clip of the person's own, or as an alias the take of another production. */
  | { readonly is: 'used' }
  | { readonly is: 'settled'; readonly settled: Settled };

/** Reads off a take's records where it stands. Pure; the rules are those of docs/decisions, "The ledger". */
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
 * Where a take stands that was sent again without anybody having looked, and refused for good then: what was unclear
 * before still is. A person who had it sent again has said that the first was not accepted; a conflict says that it was.
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

/** Whether the take has left something, or another clip stands in for that. */
export function hasCompleted(history: TakeHistory): boolean {
  const now = standing(history);
  if (now.is === 'settled') return now.settled.state === 'completed';
  return now.is === 'used' && !isOfNothing(history);
}

/** Whether it is the alias of a take that left nothing, as of one that failed. */
export function isOfNothing({ intent, output }: TakeHistory): boolean {
  return intent.alias !== undefined && output === undefined;
}

/** The task that it was accepted as, also where another clip stands in for it; null for what no task stands for. */
export function taskIdOf({ settled, sendings }: TakeHistory): string | null {
  const accepted = sendings.map(acceptance).find((one) => one !== undefined);
  return settled?.taskId ?? accepted?.taskId ?? null;
}

/**
 * The ids of the tasks of its sendings, one for each. An answer without an id belongs to the sending's own task, even if
 * a person has given that task's id.
 */
export function tasksOf({ intent, sendings }: TakeHistory): readonly string[] {
  return sendings.flatMap(({ accepted, alsoAccepted }) => {
    const isNamed = accepted !== undefined && isOwnTaskId(intent.takeKey, alsoAccepted?.taskId ?? '');
    return [accepted?.taskId, isNamed ? undefined : alsoAccepted?.taskId].filter((taskId) => taskId !== undefined);
  });
}

/** Whether a sending was surely not accepted. */
export function isRefused(sending: Sending): boolean {
  return sending.refused !== undefined && acceptance(sending) === undefined;
}

/** Whether it was sent by a render. One whose record an earlier render made may not have been sent before. */
export function isSentBy(
  { intent, sendings }: TakeHistory,
  render: { readonly renderId: string; readonly startedAt: string },
): boolean {
  if (intent.renderId === render.renderId) return true;
  return sendings.some(({ sent }) => sent !== null && sent.at >= render.startedAt);
}

/** What its task was charged, as far as the gateway has said; nothing for an alias. */
export function chargeOf({ intent, settled }: TakeHistory): number | null {
  return intent.alias === undefined ? (settled?.credits ?? null) : 0;
}

/**
 * What the take left, as far as the record is of what counts: of the clip that a person gave where one stands in, else
 * of this task. A record of anything else is left from a decision that was cut short or overruled.
 *
 * @param taskId null for the clip that a person gave, and for what an alias stands for.
 */
export function outputOf(history: TakeHistory, taskId: string | null): Output | undefined {
  const { output, intent } = history;
  const given = lastWord(history)?.asset;
  if (taskId === null && given === undefined && intent.alias !== undefined) return output;
  if (output?.taskId !== taskId) return undefined;
  return taskId === null && output.asset.sha256 !== given?.sha256 ? undefined : output;
}

/** What stands in the store for the take as the ledger has it now. */
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

/** Whether such a decision was taken about the take's last sending. */
function isDecided({ sendings, decisions }: TakeHistory, kind: LedgerDecision['kind']): boolean {
  return decisions.some((one) => one.kind === kind && one.afterSending === lastOf(sendings));
}

/** Whether a person left the take out of the film; it stays out until another decision. */
export function isSkipped(history: TakeHistory): boolean {
  return lastWord(history)?.kind === 'skip';
}

/** Whether a person gave up a task that failed, does not end or cannot be brought home, and pays for another one. */
export function isGivenUp(history: TakeHistory): boolean {
  const word = lastWord(history);
  return word?.kind === 'resubmit' && word.parkedFor !== undefined && WAS_ACCEPTED.has(word.parkedFor);
}

const WAS_ACCEPTED: ReadonlySet<string> = new Set(['failed', 'overdue', 'uncollected']);

/** The decision in force. To wait changes nothing. */
function lastWord({ decisions }: TakeHistory): LedgerDecision | undefined {
  return decisions.findLast(({ kind }) => kind !== 'wait');
}

/** An answer counts before it is booked; where it names the task of another take, it is booked as unclear. */
export function acceptance({ accepted, answered, unclear }: Sending): Pick<Accepted, 'taskId' | 'at'> | undefined {
  return accepted ?? (unclear === undefined ? answered : undefined);
}

/** The number of the last sending; 0 where nothing was sent. */
function lastOf(sendings: readonly Sending[]): number {
  return sendings.at(-1)?.n ?? 0;
}

function reasonAndTime(unclear: Unclear): { reason: string; since: string } {
  return { reason: unclear.reason, since: unclear.at };
}
