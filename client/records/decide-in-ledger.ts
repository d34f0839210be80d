import { type Decision } from '../../contracts/render/decision';
import {
  isSameTake,
  isSkipped,
  lastDecisionNumber,
  ledgerState,
  readableTakes,
  type ShotAddress,
  type Store,
  type TakeHistory,
  taskIdOf,
} from '../../store';
import { Refused } from '../wording/refused';
import { currentShots } from './current-takes';
import { readFrozen } from './read-frozen';
import { takesInStore } from './takes-in-store';
import { openUnclear, submitName, type UnclearSubmit } from './unclear-submit';

/**
 * Looks for a task at the gateway. Returns the model that made the task (null if the gateway does not name it), or
 * `unknown` if the gateway does not know the task. @throws Error if the gateway gives no sure answer.
 */
export type FindTask = (
  taskId: string,
  model: { readonly id: string; readonly workflow?: string },
) => Promise<{ readonly model: string | null } | 'unknown'>;

/** A decision about one take. */
export interface LedgerAnswer {
  readonly decision: Decision;
  /** Null for the only take of the shot. */
  readonly take: number | null;
  /** The unclear submits that the person knew of, by `submitName`. A later submit gets no decision. */
  readonly seen: readonly string[];
  /** Needed to adopt a task. */
  readonly findTask?: FindTask;
}

/**
 * Records a decision about an unclear take for which no workflow waits. The next render follows the decision. If the
 * take is of an earlier request, only `skip` is possible, because no render asks for that take.
 *
 * @returns false if the decision is not recorded, for example because the take has no unclear submit in `seen`.
 * @throws Refused if the task cannot be adopted, the gateway answered late, or another decision was recorded first.
 */
export async function decideInLedger(
  store: Store,
  account: string,
  place: ShotAddress,
  answer: LedgerAnswer,
): Promise<boolean> {
  const { decision, take, seen } = answer;
  if (decision.kind === 'wait' || decision.kind === 'use') return false;
  const { takes } = await readableTakes(store.ledger, place);
  const history = take === null && takes.length === 1 ? takes[0] : takes.find((one) => one.take === take);
  if (history === undefined || history.intent.account !== account) return false;
  // An earlier attempt has adopted the task.
  if (decision.kind === 'adopt' && taskIdOf(history) === decision.taskId) return true;
  const submit = openUnclear(history);
  if (submit === undefined || !seen.includes(submitName(history, submit))) return false;
  if (decision.kind !== 'skip') {
    const requested = await requestedTakes(store, account, place);
    if (!requested.some((one) => one.take === history.take)) return false;
    await refuseIfAnswered(store, place, history);
  }
  if (decision.kind === 'adopt') await refuseUnknownTask(history, decision.taskId, answer.findTask);
  if (await decideUnclear(store, place, history, submit, decision)) return true;
  throw new Refused(`another decision was made meanwhile; see \`dailies ledger ${place.productionId}\``);
}

/** Refuses if the gateway's late answer is in the ledger, but its task is not yet recorded as the take's task. */
async function refuseIfAnswered({ ledger }: Store, place: ShotAddress, history: TakeHistory): Promise<void> {
  const { take, intent, sendings } = history;
  for (const { answered, accepted, alsoAccepted } of sendings) {
    if (answered === undefined || accepted !== undefined || alsoAccepted !== undefined) continue;
    const owner = await ledger.ownerOf(taskOf(intent, answered.taskId));
    if (owner !== undefined && !isSameTake(owner, { ...place, take })) continue;
    throw new Refused(`an answer has arrived: the gateway accepted the take as task ${answered.taskId}; render again`);
  }
}

async function refuseUnknownTask({ intent }: TakeHistory, taskId: string, findTask?: FindTask): Promise<void> {
  if (findTask === undefined) {
    throw new Refused(
      'no workflow waits for the take, and this program cannot check the task at the gateway; adopt the task with `dailies resolve`',
    );
  }
  const { id } = intent.model;
  const found = await findTask(taskId, { id, ...taskOf(intent, taskId).model }).catch((error: unknown) => {
    throw new Refused(`the gateway cannot be asked about task ${taskId} now: ${String(error)}`);
  });
  if (found === 'unknown') throw new Refused(`the gateway does not know a task ${taskId}`);
  if (found.model !== null && found.model !== id) {
    throw new Refused(`task ${taskId} was made by ${found.model}, not by ${id}`);
  }
}

function taskOf({ account, model: { workflow } }: TakeHistory['intent'], taskId: string) {
  return { account, taskId, model: workflow === undefined ? {} : { workflow } };
}

async function decideUnclear(
  { ledger }: Store,
  place: ShotAddress,
  history: TakeHistory,
  { n, reason }: UnclearSubmit,
  decision: Extract<Decision, { readonly kind: 'adopt' | 'resubmit' | 'skip' }>,
): Promise<boolean> {
  const { take, intent, sendings } = history;
  const address = { ...place, take, takeKey: intent.takeKey };
  const at = new Date().toISOString();
  // The sending's time limit has passed, but perhaps no worker has recorded yet that the sending is unclear.
  const unclear = { kind: 'unclear', record: { reason, at } } as const;
  if (ledgerState(history).is === 'sending') await ledger.endSending(address, n, unclear);
  if (decision.kind === 'adopt') {
    const { taskId } = decision;
    const owner = await ledger.claimTask(address, taskOf(intent, taskId));
    if (!isSameTake(owner, address)) {
      throw new Refused(`task ${taskId} belongs to take ${owner.take} of "${owner.shotId}" in "${owner.productionId}"`);
    }
    if (!(await ledger.endSending(address, n, { kind: 'accepted', record: { taskId, at } }))) return false;
  }
  // A later sending may have been refused, which leaves sending n unclear. The decision applies to both.
  const afterSending = sendings.at(-1)?.n ?? n;
  const record = { ...decision, by: 'person', afterSending, parkedFor: 'unclear', at } as const;
  return ledger.decide(address, lastDecisionNumber(history) + 1, record);
}

/**
 * Takes back the skip of a shot, so that the next render includes the shot again.
 *
 * @param take null for all skipped takes that the last render requested for the shot.
 * @returns false if no skip was taken back.
 */
export async function takeBackSkip(
  store: Store,
  account: string,
  place: ShotAddress,
  take: number | null,
): Promise<boolean> {
  const requested = await requestedTakes(store, account, place);
  const skipped = requested.filter((one) => isSkipped(one) && (take === null || one.take === take));
  const recorded = await Promise.all(
    skipped.map(async (history) => {
      const skip = history.decisions.at(-1);
      if (skip === undefined) return false;
      const { afterSending, parkedFor } = skip;
      const at = new Date().toISOString();
      const decision = { kind: 'resubmit', by: 'person', afterSending, parkedFor, at } as const;
      return store.ledger.decide({ ...place, take: history.take }, lastDecisionNumber(history) + 1, decision);
    }),
  );
  return recorded.some(Boolean);
}

/** The takes that the last render requested for the shot. Without the render's frozen production: the newest take. */
async function requestedTakes(
  store: Store,
  account: string,
  { productionId, shotId }: ShotAddress,
): Promise<readonly TakeHistory[]> {
  const begun = await store.productions.begun(productionId);
  if (begun === undefined || !(await store.assets.has(begun.production))) {
    const { takes } = await readableTakes(store.ledger, { productionId, shotId });
    return takes.filter(({ intent }) => intent.account === account).slice(-1);
  }
  const inStore = await takesInStore(store, account, await readFrozen(store.assets, begun.production));
  const { siblings = [], take } = currentShots(inStore).get(shotId) ?? {};
  return [...new Set([...siblings, take])].filter((one) => one !== undefined);
}
