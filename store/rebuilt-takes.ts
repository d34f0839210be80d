import { setTimeout as sleep } from 'node:timers/promises';
import { type TakeRef } from '../contracts/take';
import {
  isSameTake,
  type Ledger,
  sendingNumbers,
  TAKE_RECORD,
  type TakeAddress,
  takeFolder,
  takeNumbers,
} from './ledger';
import { type Intent } from './ledger-records';
import { ifReadable, type Records } from './records';
import { acceptance, standing, type TakeHistory, tasksOf } from './take-history';
import { IntentMissing, TakeMismatch } from './take-mismatch';

/**
 * Takes that a ledger has lost while a workflow, or its history, still knows their tasks. The rules and their reasons
 * are in docs/decisions/0039-restore-under-running-workflows.md.
 */

/** Over NFS a folder may be listed as it was before. */
const LOOK_AGAIN_MS = 50;

/** A task that is paid for, and the take that it was accepted for. */
export interface PaidTask {
  readonly take: TakeRef;
  readonly taskId: string;
  /** ISO 8601. */
  readonly acceptedAt: string;
}

/** What is known of a lost take's ask. Without `asked` its key alone tells what it asked for. */
export type LostIntent = Pick<
  Intent,
  'askKey' | 'count' | 'account' | 'renderId' | 'attempt' | 'model' | 'parameters'
> & { readonly asked: boolean };

export interface KeptTake {
  /** Under the number that the ledger has it by, which may be another than the workflow's. */
  readonly take: TakeRef;
  readonly history: TakeHistory;
}

type LedgerRecords = { readonly ledger: Ledger; readonly records: Records };

/**
 * The take of a paid task as the ledger has it. A take or a task that the ledger lacks is noted first, by what the
 * caller knows.
 *
 * May run again after each of its steps, and side by side.
 *
 * @param lostIntent asked only if the ledger does not have the take.
 * @throws TakeMismatch if the task is another take's by now, or its take goes on with another task.
 */
export async function keptTake(
  store: LedgerRecords,
  paid: PaidTask,
  lostIntent: () => Promise<LostIntent>,
): Promise<KeptTake> {
  const { ledger } = store;
  const here = await takeOrNone(ledger, paid.take);
  if (here?.intent.takeKey === paid.take.takeKey && goesOnWith(here, paid.taskId)) {
    return { take: paid.take, history: here };
  }
  const take = await foundOrClaimed(store, paid, lostIntent);
  await completeSending(ledger, { ...paid, take });
  const history = await ledger.take(take);
  if (history === undefined) throw new TakeMismatch(take, undefined);
  return { take, history };
}

/**
 * Notes the sending of a take whose rebuilding was cut short after the intent: its task is paid for. If that is another
 * take's by now, a person decides.
 *
 * @returns whether anything was noted.
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

async function takeOrNone(ledger: Ledger, take: TakeAddress): Promise<TakeHistory | undefined> {
  try {
    return await ledger.take(take);
  } catch (error) {
    if (error instanceof IntentMissing) return undefined;
    throw error;
  }
}

/**
 * Whether the ledger has the task booked as one that the take was accepted as, or as the end of the one that it was. A
 * backup may have an answer that was booked right after it.
 */
function goesOnWith({ sendings, settled }: TakeHistory, taskId: string): boolean {
  const accepted = sendings.flatMap((one) => one.accepted?.taskId ?? []);
  return accepted.includes(taskId) || (settled?.taskId === taskId && accepted.length > 0);
}

/** The take under whatever number has its key, else its intent written anew under a free one. */
async function foundOrClaimed(
  { ledger, records }: LedgerRecords,
  paid: PaidTask,
  lostIntent: () => Promise<LostIntent>,
): Promise<TakeRef> {
  for (;;) {
    const number = await numberOf(records, paid.take);
    if (number !== undefined) return { ...paid.take, take: number };
    const take = { ...paid.take, take: await freeNumber(records, paid) };
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
    await sleep(LOOK_AGAIN_MS);
  }
}

/** An intent that cannot be read is another one's, unless it has the number that the take had. */
async function numberOf(records: Records, take: TakeRef): Promise<number | undefined> {
  const { productionId, shotId, takeKey } = take;
  for (const number of takeNumbers(await records.list(`ledger/${productionId}/${shotId}`))) {
    const read = (): Promise<unknown> => records.read(`${takeFolder({ productionId, shotId, take: number })}/intent`);
    const intent = number === take.take ? await read() : (await ifReadable(read))?.value;
    if ((intent as Partial<Intent> | null | undefined)?.takeKey === takeKey) return number;
  }
  return undefined;
}

/** The take's own number if nothing there can be another take's, else the next one. */
async function freeNumber(records: Records, { take, taskId }: PaidTask): Promise<number> {
  const { productionId, shotId } = take;
  const names = (await records.list(takeFolder(take))).filter((name) => TAKE_RECORD.test(name));
  if (names.length === 0 || (await isOfTask(records, take, names, taskId))) return take.take;
  return Math.max(take.take, ...takeNumbers(await records.list(`ledger/${productionId}/${shotId}`))) + 1;
}

/** Whether records without an intent are this task's alone: some name it, and none may be of another one's sending. */
async function isOfTask(
  records: Records,
  take: TakeAddress,
  names: readonly string[],
  taskId: string,
): Promise<boolean> {
  if (names.includes('intent')) return false;
  const idIn = async (name: string): Promise<unknown> => {
    const read = await ifReadable(() => records.read(`${takeFolder(take)}/${name}`));
    return (read?.value as { readonly taskId?: unknown } | null | undefined)?.taskId;
  };
  const naming = names.filter((name) => /^(?:settled|output|answered-\d+|accepted-\d+)$/.test(name));
  const named = await Promise.all(naming.map(idIn));
  const isAnswered = (n: number): boolean => names.includes(`accepted-${n}`) || names.includes(`answered-${n}`);
  return named.length > 0 && named.every((id) => id === taskId) && sendingNumbers(names).every(isAnswered);
}

/**
 * Claims the task for the take. A claim of another take counts only if that take has the task: one that the restore
 * brought back without its take, or that a crash left, is nobody's.
 */
async function checkOwner(ledger: Ledger, { take, taskId }: PaidTask, account: string): Promise<void> {
  const owner = await ledger.claimTask(take, { account, taskId, model: take.model });
  if (isSameTake(owner, take)) return;
  const other = await takeOrNone(ledger, owner);
  if (other === undefined || other.intent.takeKey === take.takeKey || !tasksOf(other).includes(taskId)) return;
  throw new TakeMismatch(
    take,
    other.intent.takeKey,
    `task ${taskId} is that of take ${owner.take} of "${owner.shotId}" in "${owner.productionId}" by now`,
  );
}

/** Notes that the take was accepted as the task, as its sender did in the ledger that is lost. */
async function completeSending(ledger: Ledger, { take, taskId, acceptedAt }: PaidTask): Promise<void> {
  const history = await ledger.take(take);
  if (history === undefined) throw new TakeMismatch(take, undefined);
  if (goesOnWith(history, taskId)) return;
  await checkOwner(ledger, { take, taskId, acceptedAt }, history.intent.account);
  const answer = history.sendings.find((one) => one.accepted === undefined && one.answered?.taskId === taskId);
  const n = answer?.n ?? sendingOf(history);
  const rebuilt = { at: new Date().toISOString() };
  const record = { taskId, at: acceptedAt, rebuilt };
  const other = history.sendings.map(acceptance).find((one) => one !== undefined && one.taskId !== taskId)?.taskId;
  if (other === undefined) {
    // The answer to an execute that told no id is the only place that has its result.
    const end = answer?.answered?.ended ?? null;
    if (end !== null) await ledger.settle(take, end);
    if (!history.sendings.some((one) => one.n === n)) {
      await ledger.beginSending(take, n, { at: acceptedAt, until: acceptedAt, mode: 'submit', rebuilt });
    }
    if (await ledger.endSending(take, n, { kind: 'accepted', record })) return;
    return completeSending(ledger, { take, taskId, acceptedAt });
  }
  await ledger.endSending(take, n, { kind: 'also-accepted', record });
  const why = `task ${taskId} was accepted for take ${take.take} of "${take.shotId}", which goes on with task ${other}`;
  throw new TakeMismatch(take, take.takeKey, why);
}

/** The sending that a task answers of which the ledger does not know. */
function sendingOf(history: TakeHistory): number {
  const now = standing(history);
  if (now.is === 'sendable' || now.is === 'sending' || now.is === 'unclear') return now.n;
  return history.sendings.at(-1)?.n ?? 1;
}
