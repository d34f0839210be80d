import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, type Info } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type DecideInput, type DecideOutcome, type DecisionActivities } from '../../contracts/activities';
import { type FailureType } from '../../contracts/failures';
import { type GatewayClient, GatewayError, readRefusal } from '../../gateway';
import {
  canonicalJson,
  decisionAfter,
  isSameTake,
  type LedgerDecision,
  objectionToPolicy,
  ledgerState,
  type Store,
  type TakeHistory,
} from '../../store';
import { objectionToPayingAgain } from './before-paying-again';
import { bookedTake } from './book-answer';
import { failure } from '../fail';
import { type KeepTask } from '../kept-task';
import { whileLedgerServes } from '../translate-error';
import { withHeartbeat } from '../with-heartbeat';

/** Pause before the take's records are read again. Over NFS the listing of its folder may be stale. */
const LOOK_AGAIN_MS = 100;

type Refusal = Extract<DecideOutcome, { recorded: false }>;

/**
 * Makes the activity that records in the ledger how a parked take continues.
 *
 * Checks first that the take has not changed since the decision was made. Before a task is adopted (assigned to the
 * take), checks that the gateway knows the task. Refuses to pay for another take if `objectionToPayingAgain` finds a
 * reason.
 *
 * Safe to run again after a crash at any step. A decision is recorded under the number `seen + 1`, or not at all. So a
 * late attempt never overrules a decision that was made in between.
 *
 * @throws LedgerUnavailable, StoreUnavailable (both retried)
 */
export function createDecide(gateway: GatewayClient, store: Store, keepTask: KeepTask): DecisionActivities['decide'] {
  return (input) =>
    withHeartbeat((context) => {
      const deadlineMs = Date.now() + timeLeftMs(context.info);
      const isTooLate = (): boolean => Date.now() > deadlineMs || isGivenUp(context);
      return inLedger(store, keepTask, input, (found) => decide(gateway, store, found, isTooLate));
    });
}

/**
 * Decides about the take as the ledger has it. If the take's task is known, `keepTask` finds or restores the take. The
 * decision is outdated if the task belongs to another take by now, or if no task is known and the ledger lacks the
 * take. The workflow then runs the submit activity again, which first reads the ledger.
 */
async function inLedger(
  store: Store,
  keepTask: KeepTask,
  input: DecideInput,
  decideAbout: (input: DecideInput) => Promise<DecideOutcome>,
): Promise<DecideOutcome> {
  const { taskId } = input;
  try {
    if (taskId != null) {
      const { take } = await keepTask({ take: input.take, taskId, acceptedAt: new Date().toISOString() });
      return await decideAbout({ ...input, take });
    }
    const history = await whileLedgerServes(() => store.ledger.take(input.take));
    if (history?.intent.takeKey !== input.take.takeKey) throw failure('TakeMismatch', 'it was probably restored');
    return await decideAbout(input);
  } catch (error) {
    const isMismatch = error instanceof ApplicationFailure && error.type === ('TakeMismatch' satisfies FailureType);
    if (!isMismatch) throw error;
    return outdated(`the ledger no longer has this take, or has another task for it (${error.message})`);
  }
}

/**
 * Time from the scheduling of this attempt to the schedule-to-close timeout. Computed from the server's times only,
 * because the worker's clock may differ. The time that the attempt waited in the queue is not subtracted, because the
 * server does not report it. `isGivenUp` covers that time.
 */
function timeLeftMs({ scheduleToCloseTimeoutMs, scheduledTimestampMs, currentAttemptScheduledTimestampMs }: Info) {
  return scheduleToCloseTimeoutMs - (currentAttemptScheduledTimestampMs - scheduledTimestampMs);
}

/** True if Temporal no longer waits for this attempt. The answers to heartbeats show this within seconds. */
function isGivenUp({ cancellationDetails }: Context): boolean {
  return cancellationDetails?.notFound === true || cancellationDetails?.timedOut === true;
}

async function decide(
  gateway: GatewayClient,
  store: Store,
  input: DecideInput,
  isTooLate: () => boolean,
): Promise<DecideOutcome> {
  const { take, seen, decision } = input;
  const history = await historyOf(store, input);
  if (isRecorded(history, input)) return recorded(store, input);
  const objection =
    objectionTo(input, history) ??
    (await objectionToTask(gateway, input, history)) ??
    (await objectionToPayingAgain(gateway, store, input, history));
  if (objection !== undefined) return objection;
  if (isTooLate()) return refused('it could not be recorded in time');
  if (decision.kind === 'adopt') {
    const refusal = await adopt(store, input, decision.taskId);
    if (refusal !== undefined) return refusal;
  }
  const isFirst = await whileLedgerServes(() => store.ledger.decide(take, seen + 1, recordOf(input, history)));
  if (isFirst) return recorded(store, input);
  // The number is taken: another attempt has recorded this decision, or another decision was made. Look again.
  await sleep(LOOK_AGAIN_MS);
  return decide(gateway, store, input, isTooLate);
}

async function historyOf(store: Store, { take }: DecideInput): Promise<TakeHistory> {
  const history = await bookedTake(store, take);
  if (history === undefined) throw failure('LedgerUnavailable', `take ${take.take} of ${take.shotId} has no intent`);
  return history;
}

/**
 * Records that the take was accepted as this task. The take is checked again, since it may have changed while the
 * gateway was asked. If another take of any shot has claimed the task, that take keeps the task, and this decision is
 * refused.
 */
async function adopt(store: Store, input: DecideInput, taskId: string): Promise<Refusal | undefined> {
  const { take } = input;
  const history = await historyOf(store, input);
  const objection = objectionTo(input, history);
  if (objection !== undefined) return objection;
  const task = { account: history.intent.account, taskId, model: take.model };
  const owner = await whileLedgerServes(() => store.ledger.claimTask(take, task));
  if (!isSameTake(owner, take)) {
    return refused(`task ${taskId} belongs to take ${owner.take} of "${owner.shotId}" in "${owner.productionId}"`);
  }
  const end = { kind: 'accepted', record: { taskId, at: new Date().toISOString() } } as const;
  const isEnd = await whileLedgerServes(() => store.ledger.endSending(take, sendingInDoubt(history), end));
  return isEnd ? undefined : objectionTo(input, await historyOf(store, input));
}

/**
 * Records the clip if a person gave one. This must follow the decision, since the clip replaces the record of the
 * task's own output. After a crash in between, the next attempt records the clip. If no attempt comes in time, a person
 * gives the clip again.
 */
async function recorded({ ledger }: Store, { take, output }: DecideInput): Promise<DecideOutcome> {
  if (output !== null) await whileLedgerServes(() => ledger.noteOutput(take, null, output));
  return { recorded: true };
}

/** True if an earlier attempt has recorded the decision. */
function isRecorded(history: TakeHistory, input: DecideInput): boolean {
  const existing = decisionAfter(history, input.seen);
  if (existing === undefined) return false;
  const { at, afterSending } = existing;
  return canonicalJson({ ...recordOf(input, history), at, afterSending }) === canonicalJson(existing);
}

function recordOf({ decision, by, parkedFor }: DecideInput, history: TakeHistory): LedgerDecision {
  return { ...decision, by, afterSending: lastSending(history), parkedFor, at: new Date().toISOString() };
}

/** The sending to which an adopted task is assigned: the unclear one, or else the last. */
function sendingInDoubt(history: TakeHistory): number {
  const now = ledgerState(history);
  return now.is === 'unclear' ? now.n : lastSending(history);
}

function lastSending({ sendings }: TakeHistory): number {
  return sendings.at(-1)?.n ?? 0;
}

/** The ledger's objection to the decision. */
function objectionTo({ seen, parkedFor, decision, by }: DecideInput, history: TakeHistory): Refusal | undefined {
  const other = decisionAfter(history, seen);
  if (other !== undefined) return outdated(`another decision was made meanwhile: ${other.kind}`);
  const taskId = knownTask(history);
  if (parkedFor === 'unclear' && taskId !== undefined && !(decision.kind === 'adopt' && decision.taskId === taskId)) {
    return outdated(`an answer has arrived meanwhile: the gateway accepted the take as task ${taskId}`);
  }
  const objection = by === 'policy' ? objectionToPolicy(history) : undefined;
  return objection === undefined ? undefined : refused(objection);
}

/**
 * The take's task, if it is known. After an execute, the task's end is recorded before its acceptance, so the record of
 * the end is read too.
 */
function knownTask(history: TakeHistory): string | undefined {
  const now = ledgerState(history);
  if (now.is === 'settled') return now.settled.taskId;
  return now.is === 'accepted' ? now.taskId : undefined;
}

/**
 * The gateway's objection to a task that is to be adopted. Does not ask about a task that the ledger has for this take.
 */
async function objectionToTask(
  gateway: GatewayClient,
  { take, decision }: DecideInput,
  history: TakeHistory,
): Promise<Refusal | undefined> {
  if (decision.kind !== 'adopt' || decision.taskId === knownTask(history)) return undefined;
  const { taskId } = decision;
  try {
    const reading = await gateway.read({ taskId, model: take.model });
    const model = reading.state === 'completed' ? reading.result.model : null;
    return model === null || model === take.model.id
      ? undefined
      : refused(`task ${taskId} was made by ${model}, not by ${take.model.id}`);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (readRefusal(error) === 'no such task') return refused(`the gateway does not know a task ${taskId}`);
    return refused(`the gateway cannot be asked about task ${taskId} now: ${error.message}`);
  }
}

function refused(reason: string): Refusal {
  return { recorded: false, reason, isOutdated: false };
}

/** A refusal because the take has changed since the decision was made. The workflow reads the take again. */
function outdated(what: string): Refusal {
  return { recorded: false, reason: `${what}; the shot continues with what the ledger has`, isOutdated: true };
}
