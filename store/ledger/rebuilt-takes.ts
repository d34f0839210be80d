import { setTimeout as sleep } from 'node:timers/promises';
import { type TakeRef } from '../../contracts/render/take';
import { type Ledger } from './ledger';
import { type Intent } from './ledger-records';
import { isSameTake, type TakeAddress } from './take-address';
import { acceptance, ledgerState, type TakeHistory, tasksOf } from './take-history';
import { IntentMissing, TakeMismatch } from './take-mismatch';

/**
 * Rebuilds takes that the ledger has lost and whose tasks a workflow or its history still knows. Rules and reasons:
 * docs/decisions/0039-restore-under-running-workflows.md.
 */

/** Delay before another try if a take's number turns out to be in use: over NFS a listing may be outdated. */
const RETRY_DELAY_MS = 50;

/** A paid task, and the take that it was accepted for. */
export interface PaidTask {
  readonly take: TakeRef;
  readonly taskId: string;
  /** ISO 8601. */
  readonly acceptedAt: string;
}

/**
 * The known fields of a lost intent. If its request is unknown (`asked` is false), `askKey`, `count` and `parameters`
 * are placeholders.
 */
export type LostIntent = Pick<
  Intent,
  'askKey' | 'count' | 'account' | 'renderId' | 'attempt' | 'model' | 'parameters'
> & { readonly asked: boolean };

/** A take that the ledger has. */
export interface TakeInLedger {
  /** The take under its number in the ledger, which may differ from the workflow's number. */
  readonly take: TakeRef;
  readonly history: TakeHistory;
}

/**
 * Returns the ledger's take of a paid task. If the ledger lacks the take or its task, records what is missing first.
 *
 * Safe to repeat after an interruption at any point, and to run concurrently.
 *
 * @param lostIntent called only if the ledger lacks the take.
 * @throws TakeMismatch if by now the task belongs to another take, or the take has another task.
 */
export async function ensureTake(
  ledger: Ledger,
  paid: PaidTask,
  lostIntent: () => Promise<LostIntent>,
): Promise<TakeInLedger> {
  const recorded = await takeIfIntended(ledger, paid.take);
  if (recorded?.intent.takeKey === paid.take.takeKey && hasTask(recorded, paid.taskId)) {
    return { take: paid.take, history: recorded };
  }
  const take = await findOrClaim(ledger, paid, lostIntent);
  await completeSending(ledger, { ...paid, take });
  const history = await ledger.take(take);
  if (history === undefined) throw new TakeMismatch(take, undefined);
  return { take, history };
}

/**
 * Records the paid task of a take whose rebuilding was interrupted after the intent was written. If the task belongs to
 * another take by now, the take becomes unclear, and a person decides.
 *
 * @returns true if anything was recorded.
 */
export async function completeRebuilt(ledger: Ledger, take: TakeRef, history: TakeHistory): Promise<boolean> {
  const { rebuilt } = history.intent;
  if (rebuilt === undefined || history.sendings.length > 0) return false;
  const { taskId, acceptedAt } = rebuilt;
  await completeSending(ledger, { take, taskId, acceptedAt }).catch(async (error: unknown) => {
    if (!(error instanceof TakeMismatch)) throw error;
    await ledger.beginSending(take, 1, { at: acceptedAt, until: acceptedAt, mode: 'submit' });
    const record = { reason: error.message, at: new Date().toISOString() };
    await ledger.endSending(take, 1, { kind: 'unclear', record });
  });
  return true;
}

/** The take; undefined if the ledger lacks the take or its intent. */
async function takeIfIntended(ledger: Ledger, take: TakeAddress): Promise<TakeHistory | undefined> {
  try {
    return await ledger.take(take);
  } catch (error) {
    if (error instanceof IntentMissing) return undefined;
    throw error;
  }
}

/**
 * True if an `accepted` record names the task. Also true if `settled` names the task and any `accepted` record exists.
 * An `answered` record is not enough: a backup may have it without the `accepted` record that followed.
 */
function hasTask({ sendings, settled }: TakeHistory, taskId: string): boolean {
  const accepted = sendings.flatMap((one) => one.accepted?.taskId ?? []);
  return accepted.includes(taskId) || (settled?.taskId === taskId && accepted.length > 0);
}

/** Finds the take by its key, under any number. If there is none, writes a new intent under a free number. */
async function findOrClaim(ledger: Ledger, paid: PaidTask, lostIntent: () => Promise<LostIntent>): Promise<TakeRef> {
  for (;;) {
    const number = await ledger.numberOf(paid.take);
    if (number !== undefined) return { ...paid.take, take: number };
    const take = { ...paid.take, take: await ledger.freeNumber(paid.take, paid.taskId) };
    const { asked, ...lost } = await lostIntent();
    await checkOwner(ledger, { ...paid, take }, lost.account);
    const { takeKey, model: called } = paid.take;
    const intent: Intent = {
      ...lost,
      takeKey,
      model: { output: lost.model.output, ...called },
      at: paid.acceptedAt,
      rebuilt: { taskId: paid.taskId, acceptedAt: paid.acceptedAt, at: new Date().toISOString(), asked },
    };
    if (await ledger.intend(take, intent)) return take;
    await sleep(RETRY_DELAY_MS);
  }
}

/**
 * Claims the task for the take. Ignores an earlier claim by another take that has the same key, or whose records do not
 * name the task, for example after a restore or a crash. @throws TakeMismatch if another take's claim counts.
 */
async function checkOwner(ledger: Ledger, { take, taskId }: PaidTask, account: string): Promise<void> {
  const owner = await ledger.claimTask(take, { account, taskId, model: take.model });
  if (isSameTake(owner, take)) return;
  const other = await takeIfIntended(ledger, owner);
  if (other === undefined || other.intent.takeKey === take.takeKey || !tasksOf(other).includes(taskId)) return;
  throw new TakeMismatch(
    take,
    other.intent.takeKey,
    `task ${taskId} belongs to take ${owner.take} of "${owner.shotId}" in "${owner.productionId}"`,
  );
}

/** Records the acceptance of the task, as the sender did in the lost ledger. */
async function completeSending(ledger: Ledger, { take, taskId, acceptedAt }: PaidTask): Promise<void> {
  const history = await ledger.take(take);
  if (history === undefined) throw new TakeMismatch(take, undefined);
  if (hasTask(history, taskId)) return;
  await checkOwner(ledger, { take, taskId, acceptedAt }, history.intent.account);
  const answer = history.sendings.find((one) => one.accepted === undefined && one.answered?.taskId === taskId);
  const n = answer?.n ?? sendingOf(history);
  const rebuilt = { at: new Date().toISOString() };
  const record = { taskId, at: acceptedAt, rebuilt };
  const other = history.sendings.map(acceptance).find((one) => one !== undefined && one.taskId !== taskId)?.taskId;
  if (other === undefined) {
    // Record the end before the acceptance: any process that finds the take accepted needs the end. The end of an
    // execute that the gateway answered without a task id is only in the `answered` record.
    const end = answer?.answered?.ended ?? null;
    if (end !== null) await ledger.settle(take, end);
    if (!history.sendings.some((one) => one.n === n)) {
      await ledger.beginSending(take, n, { at: acceptedAt, until: acceptedAt, mode: 'submit', rebuilt });
    }
    if (await ledger.endSending(take, n, { kind: 'accepted', record })) return;
    return completeSending(ledger, { take, taskId, acceptedAt });
  }
  await ledger.endSending(take, n, { kind: 'also-accepted', record });
  const why = `task ${taskId} was accepted for take ${take.take} of "${take.shotId}", which continues with task ${other}`;
  throw new TakeMismatch(take, take.takeKey, why);
}

/** The number of the sending that a task belongs to if no record names the task. */
function sendingOf(history: TakeHistory): number {
  const now = ledgerState(history);
  if (now.is === 'sendable' || now.is === 'sending' || now.is === 'unclear') return now.n;
  return history.sendings.at(-1)?.n ?? 1;
}
