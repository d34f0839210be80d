import { type DecideInput, type DecideOutcome, type SubmitActivities } from '../contracts/activities';
import { type Decision } from '../contracts/decision';
import { type GatewayClient, GatewayError } from '../gateway';
import {
  canonicalJson,
  isHeld,
  isSameTake,
  type LedgerDecision,
  standing,
  type Store,
  type TakeHistory,
} from '../store';
import { failure } from './fail';
import { whileLedgerServes } from './translate-error';
import { withHeartbeat } from './with-heartbeat';

/**
 * Notes in the ledger how a parked take goes on, after checking that it may: that the take still stands as it did, and
 * that the gateway knows a task that is to be adopted.
 *
 * It may run again after each of its steps.
 *
 * @throws LedgerUnavailable (retried)
 */
export function createDecide(gateway: GatewayClient, store: Store): SubmitActivities['decide'] {
  return (input) => withHeartbeat(() => decide(gateway, store, input));
}

async function decide(gateway: GatewayClient, store: Store, input: DecideInput): Promise<DecideOutcome> {
  const { take, parkedFor, decision, by } = input;
  const { ledger } = store;
  const history = await whileLedgerServes(() => ledger.take(take));
  if (history === undefined) throw failure('LedgerUnavailable', `take ${take.take} of ${take.shotId} has no intent`);
  const afterSending = history.sendings.at(-1)?.n ?? 0;
  const record: LedgerDecision = { ...decision, by, afterSending, parkedFor, at: new Date().toISOString() };
  if (isSame(history.decisions.at(-1), record)) return recorded(store, input);

  const objection = await objectionTo(gateway, input, history);
  if (objection !== undefined) return { recorded: false, reason: objection };
  if (decision.kind === 'adopt') {
    const { taskId } = decision;
    const task = { account: history.intent.account, taskId, model: take.model };
    const owner = await whileLedgerServes(() => ledger.claimTask(take, task));
    if (!isSameTake(owner, take)) {
      const whose = `take ${owner.take} of "${owner.shotId}" in "${owner.productionId}"`;
      return { recorded: false, reason: `task ${taskId} belongs to ${whose}` };
    }
    const accepted = { taskId, at: record.at };
    await whileLedgerServes(() => ledger.endSending(take, afterSending, { kind: 'accepted', record: accepted }));
  }
  const isFirst = await whileLedgerServes(() => ledger.decide(take, history.decisions.length + 1, record));
  // Another attempt of this very decision, or another decision: look again.
  return isFirst ? recorded(store, input) : decide(gateway, store, input);
}

/** The clip after the decision: without one it is lost, and asked for again; before it, it would pass for the task's. */
async function recorded({ ledger }: Store, { take, output }: DecideInput): Promise<DecideOutcome> {
  if (output !== null) await whileLedgerServes(() => ledger.noteOutput(take, null, output));
  return { recorded: true };
}

/** Whether an earlier attempt has noted it. */
function isSame(noted: LedgerDecision | undefined, record: LedgerDecision): boolean {
  return noted !== undefined && canonicalJson({ ...noted, at: record.at }) === canonicalJson(record);
}

async function objectionTo(
  gateway: GatewayClient,
  { take, parkedFor, decision, by }: DecideInput,
  history: TakeHistory,
): Promise<string | undefined> {
  const now = standing(history);
  const isAdopted = now.is === 'accepted' && decision.kind === 'adopt' && decision.taskId === now.taskId;
  if (parkedFor === 'unclear' && now.is === 'accepted' && !isAdopted) {
    return `an answer has arrived meanwhile: the gateway accepted it as task ${now.taskId}; adopt that`;
  }
  if (by === 'policy' && isHeld(history)) return 'the ledger was restored; a person has to decide';
  if (by === 'policy' && history.decisions.some(({ kind }) => kind === 'resubmit')) {
    return 'the take was sent again once already';
  }
  return decision.kind === 'adopt' ? objectionToTask(gateway, take, decision) : undefined;
}

async function objectionToTask(
  gateway: GatewayClient,
  take: DecideInput['take'],
  { taskId }: Extract<Decision, { kind: 'adopt' }>,
): Promise<string | undefined> {
  try {
    const reading = await gateway.read({ taskId, model: take.model });
    const model = reading.state === 'completed' ? reading.result.model : null;
    return model === null || model === take.model.id
      ? undefined
      : `task ${taskId} is one of ${model}, not ${take.model.id}`;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (error.status === 404) return `the gateway does not know a task ${taskId}`;
    return `the gateway cannot be asked about task ${taskId} now: ${error.message}`;
  }
}
