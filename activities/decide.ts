import { type DecideInput, type SubmitActivities } from '../contracts/activities';
import { type Decision } from '../contracts/decision';
import { type GatewayClient, GatewayError } from '../gateway';
import { isHeld, type LedgerDecision, standing, type Store, type TakeHistory } from '../store';
import { failure } from './fail';
import { whileLedgerServes } from './translate-error';

/**
 * Notes in the ledger how a parked take goes on, after checking that it may: that the take still stands as it did, and
 * that the gateway knows a task that is to be adopted.
 *
 * A decision that is noted already, as by an earlier attempt of this activity, counts as noted.
 *
 * @throws LedgerUnavailable (retried)
 */
export function createDecide(gateway: GatewayClient, store: Store): SubmitActivities['decide'] {
  return async (input) => {
    const { take, decision, by } = input;
    const history = await whileLedgerServes(() => store.ledger.take(take));
    if (history === undefined) throw failure('LedgerUnavailable', `take ${take.take} of ${take.shotId} has no intent`);
    const afterSending = history.sendings.at(-1)?.n ?? 0;
    if (
      history.decisions.some((one) => one.kind === decision.kind && one.afterSending === afterSending && one.by === by)
    ) {
      return { recorded: true };
    }
    const objection = await objectionTo(gateway, store, input, history);
    if (objection !== undefined) return { recorded: false, reason: objection };
    const record: LedgerDecision = { ...decision, by, afterSending, at: new Date().toISOString() };
    await whileLedgerServes(() => store.ledger.decide(take, history.decisions.length + 1, record));
    if (decision.kind === 'adopt') {
      const accepted = { taskId: decision.taskId, at: record.at };
      await whileLedgerServes(() =>
        store.ledger.endSending(take, afterSending, { kind: 'accepted', record: accepted }),
      );
    }
    return { recorded: true };
  };
}

async function objectionTo(
  gateway: GatewayClient,
  store: Store,
  { take, parkedFor, decision, by }: DecideInput,
  history: TakeHistory,
): Promise<string | undefined> {
  const now = standing(history);
  if (parkedFor === 'unclear' && now.is === 'accepted' && decision.kind !== 'adopt') {
    return `an answer has arrived meanwhile: the gateway accepted it as task ${now.taskId}; adopt that`;
  }
  if (by === 'policy' && isHeld(history)) return 'the ledger was restored; a person has to decide';
  if (by === 'policy' && history.decisions.some(({ kind }) => kind === 'resubmit')) {
    return 'the take was sent again once already';
  }
  return decision.kind === 'adopt' ? objectionToTask(gateway, store, take, decision) : undefined;
}

async function objectionToTask(
  gateway: GatewayClient,
  store: Store,
  take: DecideInput['take'],
  { taskId }: Extract<Decision, { kind: 'adopt' }>,
): Promise<string | undefined> {
  const owner = await ownerOf(store, take.productionId, taskId);
  if (owner !== undefined && !(owner.shotId === take.shotId && owner.take === take.take)) {
    return `task ${taskId} belongs to take ${owner.take} of ${owner.shotId}`;
  }
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

async function ownerOf(
  { ledger }: Store,
  productionId: string,
  taskId: string,
): Promise<{ shotId: string; take: number } | undefined> {
  for (const shotId of await ledger.shots(productionId)) {
    const takes = await ledger.takes(productionId, shotId);
    const owner = takes.find(({ sendings }) => sendings.some(({ accepted }) => accepted?.taskId === taskId));
    if (owner !== undefined) return { shotId, take: owner.take };
  }
  return undefined;
}
