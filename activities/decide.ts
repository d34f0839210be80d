import { setTimeout as sleep } from 'node:timers/promises';
import { type Info } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type DecideInput, type DecideOutcome, type DecisionActivities } from '../contracts/activities';
import { type FailureType } from '../contracts/failures';
import { type GatewayClient, GatewayError } from '../gateway';
import {
  canonicalJson,
  isSameTake,
  type LedgerDecision,
  objectionToPolicy,
  standing,
  type Store,
  type TakeHistory,
} from '../store';
import { objectionToPayingAgain } from './before-paying-again';
import { bookedTake } from './book-answer';
import { failure } from './fail';
import { type KeepTask } from './kept-task';
import { whileLedgerServes } from './translate-error';
import { withHeartbeat } from './with-heartbeat';

/** Over NFS a listing of the folder may be stale; this is the pause before the next one. */
const LOOK_AGAIN_MS = 100;

type Refusal = Extract<DecideOutcome, { recorded: false }>;

/**
 * Records in the ledger how a parked take goes on. First it checks that the take is still in the same state, that the
 * gateway knows a task that is to be adopted, and that a task has not ended if another take is to be paid for.
 *
 * It may run again after each of its steps. It is noted under the number that follows the decisions which were seen
 * when it was taken: so an attempt that was thought dead and wakes up never overrules what was decided since.
 *
 * @throws LedgerUnavailable (retried)
 */
export function createDecide(gateway: GatewayClient, store: Store, keepTask: KeepTask): DecisionActivities['decide'] {
  return (input) =>
    withHeartbeat(({ info }) => {
      const deadlineMs = Date.now() + timeLeftMs(info);
      return inLedger(store, keepTask, input, (found) => decide(gateway, store, found, () => Date.now() > deadlineMs));
    });
}

/**
 * Decides about the take as the ledger has it. One whose task is known is found by that; any other that the ledger lacks,
 * or has another one in the place of, is looked at again by a new submit of the same ask.
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
    if (history?.intent.takeKey !== input.take.takeKey) throw failure('TakeMismatch', 'the ledger was restored');
    return await decideAbout(input);
  } catch (error) {
    const isMismatch = error instanceof ApplicationFailure && error.type === ('TakeMismatch' satisfies FailureType);
    if (!isMismatch) throw error;
    return outdated(`the ledger does not have this take any more (${error.message})`);
  }
}

/** Until its time is over, as far as differences of the server's clock tell: the worker's may be another. */
function timeLeftMs({ scheduleToCloseTimeoutMs, scheduledTimestampMs, currentAttemptScheduledTimestampMs }: Info) {
  return scheduleToCloseTimeoutMs - (currentAttemptScheduledTimestampMs - scheduledTimestampMs);
}

async function decide(
  gateway: GatewayClient,
  store: Store,
  input: DecideInput,
  isTooLate: () => boolean,
): Promise<DecideOutcome> {
  const { take, seen, decision } = input;
  const history = await historyOf(store, input);
  if (isNoted(history, input)) return recorded(store, input);
  const objection =
    objectionTo(input, history) ??
    (await objectionToTask(gateway, input, history)) ??
    (await objectionToPayingAgain(gateway, store, input, history));
  if (objection !== undefined) return objection;
  if (decision.kind === 'adopt') {
    const refusal = await adopt(store, input, decision.taskId);
    if (refusal !== undefined) return refusal;
  }
  if (isTooLate()) return refused('it could not be noted in time');
  const isFirst = await whileLedgerServes(() => store.ledger.decide(take, seen + 1, recordOf(input, history)));
  // Another attempt of this very decision, or another decision: look again.
  if (isFirst) return recorded(store, input);
  await sleep(LOOK_AGAIN_MS);
  return decide(gateway, store, input, isTooLate);
}

async function historyOf(store: Store, { take }: DecideInput): Promise<TakeHistory> {
  const history = await bookedTake(store, take);
  if (history === undefined) throw failure('LedgerUnavailable', `take ${take.take} of ${take.shotId} has no intent`);
  return history;
}

/**
 * Notes that the take was accepted as this task. The gateway was asked meanwhile, so that the take is looked at once
 * more: a task that was claimed stays with its take, and may be another shot's.
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

/** The clip after the decision: without one it is lost, and asked for again; before it, it would pass for the task's. */
async function recorded({ ledger }: Store, { take, output }: DecideInput): Promise<DecideOutcome> {
  if (output !== null) await whileLedgerServes(() => ledger.noteOutput(take, null, output));
  return { recorded: true };
}

/** Whether an earlier attempt has noted it. */
function isNoted(history: TakeHistory, input: DecideInput): boolean {
  const noted = history.decisions[input.seen];
  if (noted === undefined) return false;
  const { at, afterSending } = noted;
  return canonicalJson({ ...recordOf(input, history), at, afterSending }) === canonicalJson(noted);
}

function recordOf({ decision, by, parkedFor }: DecideInput, history: TakeHistory): LedgerDecision {
  return { ...decision, by, afterSending: lastSending(history), parkedFor, at: new Date().toISOString() };
}

/** The sending that a task which is adopted answers. */
function sendingInDoubt(history: TakeHistory): number {
  const now = standing(history);
  return now.is === 'unclear' ? now.n : lastSending(history);
}

function lastSending({ sendings }: TakeHistory): number {
  return sendings.at(-1)?.n ?? 0;
}

/** What the ledger has against it. */
function objectionTo({ seen, parkedFor, decision, by }: DecideInput, history: TakeHistory): Refusal | undefined {
  const other = history.decisions[seen];
  if (other !== undefined) return outdated(`it was decided otherwise meanwhile: ${other.kind}`);
  const taskId = knownTask(history);
  if (parkedFor === 'unclear' && taskId !== undefined && !(decision.kind === 'adopt' && decision.taskId === taskId)) {
    return outdated(`an answer has arrived meanwhile: the gateway accepted it as task ${taskId}`);
  }
  const objection = by === 'policy' ? objectionToPolicy(history) : undefined;
  return objection === undefined ? undefined : refused(objection);
}

/** The task that the take was accepted as. An execute's end is noted before its acceptance. */
function knownTask(history: TakeHistory): string | undefined {
  const now = standing(history);
  if (now.is === 'settled') return now.settled.taskId;
  return now.is === 'accepted' ? now.taskId : undefined;
}

/** What the gateway has against the task that is to be adopted; it is not asked about one that the ledger knows of. */
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
      : refused(`task ${taskId} is one of ${model}, not ${take.model.id}`);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (error.status === 404) return refused(`the gateway does not know a task ${taskId}`);
    return refused(`the gateway cannot be asked about task ${taskId} now: ${error.message}`);
  }
}

function refused(reason: string): Refusal {
  return { recorded: false, reason, isOutdated: false };
}

/** The shot goes on by what has come in between. */
function outdated(what: string): Refusal {
  return { recorded: false, reason: `${what}; the shot goes on with that`, isOutdated: true };
}
