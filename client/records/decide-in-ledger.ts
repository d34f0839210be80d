import { type Decision } from '../../contracts/render/decision';
import {
  isSameTake,
  isSkipped,
  ledgerState,
  readableTakes,
  type ShotAddress,
  type Store,
  type TakeHistory,
} from '../../store';
import { Refused } from '../wording/refused';
import { currentShots } from './current-takes';
import { takesOf } from './takes';
import { readFrozen } from './read-frozen';
import { takesInStore } from './takes-in-store';
import { openUnclear, type UnclearSubmit } from './unclear-submit';

/**
 * Records a decision that no workflow waits for. The next render follows it, and is the first to read an adopted task.
 *
 * - `adopt`, `resubmit`, `skip` are for an unclear take. If the take is of an earlier request, only `skip` is possible,
 *   because no render asks for that take.
 * - `resubmit` also takes back the skip of a shot.
 *
 * @param take null for the only take of the shot; for `resubmit` also for all its skipped takes.
 * @returns false if the ledger has no such take, or if another decision was recorded first.
 * @throws Refused if the adopted task belongs to another take.
 */
export async function decideInLedger(
  store: Store,
  account: string,
  place: ShotAddress,
  decision: Decision,
  take: number | null,
): Promise<boolean> {
  if (decision.kind === 'wait' || decision.kind === 'use') return false;
  if (decision.kind === 'resubmit' && (await takeBackSkip(store, account, place, take))) return true;
  const { takes } = await readableTakes(store.ledger, place);
  const history = take === null && takes.length === 1 ? takes[0] : takes.find((one) => one.take === take);
  const submit = history?.intent.account === account ? openUnclear(history) : undefined;
  if (history === undefined || submit === undefined) return false;
  if (decision.kind !== 'skip') {
    const requested = await requestedTakes(store, account, place);
    if (!requested.some((one) => one.take === history.take)) return false;
  }
  return decideUnclear(store, place, history, submit, decision);
}

async function decideUnclear(
  { ledger }: Store,
  place: ShotAddress,
  history: TakeHistory,
  { n, reason }: UnclearSubmit,
  decision: Extract<Decision, { readonly kind: 'adopt' | 'resubmit' | 'skip' }>,
): Promise<boolean> {
  const { take, decisions, intent, sendings } = history;
  const { account, takeKey, model } = intent;
  const { workflow } = model;
  const address = { ...place, take, takeKey };
  const at = new Date().toISOString();
  // The sending's time limit has passed, but perhaps no worker has recorded this yet.
  const unclear = { kind: 'unclear', record: { reason, at } } as const;
  if (ledgerState(history).is === 'sending') await ledger.endSending(address, n, unclear);
  if (decision.kind === 'adopt') {
    const { taskId } = decision;
    const task = { account, taskId, model: workflow === undefined ? {} : { workflow } };
    const owner = await ledger.claimTask(address, task);
    if (!isSameTake(owner, address)) {
      throw new Refused(`task ${taskId} belongs to take ${owner.take} of "${owner.shotId}" in "${owner.productionId}"`);
    }
    if (!(await ledger.endSending(address, n, { kind: 'accepted', record: { taskId, at } }))) return false;
  }
  // A later sending may have been refused, which leaves sending n unclear. The decision is about both.
  const afterSending = sendings.at(-1)?.n ?? n;
  const record = { ...decision, by: 'person', afterSending, parkedFor: 'unclear', at } as const;
  return ledger.decide(address, decisions.length + 1, record);
}

/**
 * Takes back the skip of a shot, so that the next render includes the shot again.
 *
 * @param take null for all skipped takes of the shot.
 * @returns false if no skip was taken back.
 */
async function takeBackSkip(store: Store, account: string, place: ShotAddress, take: number | null): Promise<boolean> {
  const requested = await requestedTakes(store, account, place);
  const skipped = requested.filter((one) => isSkipped(one) && (take === null || one.take === take));
  const recorded = await Promise.all(
    skipped.map(async (history) => {
      const skip = history.decisions.at(-1);
      if (skip === undefined) return false;
      const { afterSending, parkedFor } = skip;
      const at = new Date().toISOString();
      const decision = { kind: 'resubmit', by: 'person', afterSending, parkedFor, at } as const;
      return store.ledger.decide({ ...place, take: history.take }, history.decisions.length + 1, decision);
    }),
  );
  return recorded.some(Boolean);
}

/** The takes that the last render requested for the shot; the newest take if that render's production is lost. */
async function requestedTakes(
  store: Store,
  account: string,
  { productionId, shotId }: ShotAddress,
): Promise<readonly TakeHistory[]> {
  const begun = await store.productions.begun(productionId);
  if (begun === undefined || !(await store.assets.has(begun.production))) {
    return (await takesOf(store, account, productionId)).get(shotId)?.slice(-1) ?? [];
  }
  const inStore = await takesInStore(store, account, await readFrozen(store.assets, begun.production));
  const { siblings = [], take } = currentShots(inStore).get(shotId) ?? {};
  return [...new Set([...siblings, take])].filter((one) => one !== undefined);
}
