import {
  type Accepted,
  type LedgerDecision,
  type Intent,
  type Output,
  type Refused,
  type Sent,
  type Settled,
  type Unclear,
} from './ledger-records';

/** One sending of a take and what came of it. An acceptance overrides whatever else was noted. */
export interface Sending {
  readonly n: number;
  /** Null where the record was cut short by a crash: it counts as sent. */
  readonly sent: Sent | null;
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
  readonly output?: Output;
}

/** Where a take stands. `sending` is one whose answer may still come; `sendable` may be sent as number `n`. */
export type TakeStanding =
  | { readonly is: 'sendable'; readonly n: number }
  | { readonly is: 'sending'; readonly n: number; readonly untilMs: number }
  | { readonly is: 'accepted'; readonly taskId: string; readonly at: string }
  | { readonly is: 'unclear'; readonly n: number; readonly reason: string; readonly since: string }
  | { readonly is: 'refused'; readonly reason: string }
  /** A clip of the person's own stands in for what the task would have left. */
  | { readonly is: 'used' }
  | { readonly is: 'settled'; readonly settled: Settled };

/** Reads off a take's records where it stands. Pure; the rules are those of docs/decisions, "The ledger". */
export function standing(history: TakeHistory): TakeStanding {
  if (lastWord(history)?.kind === 'use') return { is: 'used' };
  if (history.settled !== undefined) return { is: 'settled', settled: history.settled };
  const accepted = history.sendings.find((sending) => sending.accepted !== undefined)?.accepted;
  if (accepted !== undefined) return { is: 'accepted', taskId: accepted.taskId, at: accepted.at };
  const last = history.sendings.at(-1);
  if (last === undefined) return { is: 'sendable', n: 1 };
  if (last.refused !== undefined) {
    return last.refused.again ? { is: 'sendable', n: last.n + 1 } : { is: 'refused', reason: last.refused.reason };
  }
  if (last.unclear !== undefined) {
    if (isDecided(history, 'resubmit')) return { is: 'sendable', n: last.n + 1 };
    return { is: 'unclear', n: last.n, ...reasonAndTime(last.unclear) };
  }
  if (last.sent === null) return { is: 'sending', n: last.n, untilMs: 0 };
  return { is: 'sending', n: last.n, untilMs: Date.parse(last.sent.until) };
}

/** Whether the take has left something, or a person's own clip stands in for that. */
export function hasCompleted(history: TakeHistory): boolean {
  const now = standing(history);
  return now.is === 'used' || (now.is === 'settled' && now.settled.state === 'completed');
}

/** Whether such a decision was taken about the take's last sending. */
export function isDecided({ sendings, decisions }: TakeHistory, kind: LedgerDecision['kind']): boolean {
  return decisions.some((one) => one.kind === kind && one.afterSending === (sendings.at(-1)?.n ?? 0));
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

function reasonAndTime(unclear: Unclear): { reason: string; since: string } {
  return { reason: unclear.reason, since: unclear.at };
}
