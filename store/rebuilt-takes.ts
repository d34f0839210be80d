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
 * Takes that a ledger has lost while a workflow or its history still knows their tasks. Rules and reasons:
 * docs/decisions/0039-restore-under-running-workflows.md.
 */

/** Over NFS a listing may be outdated. */
const LOOK_AGAIN_MS = 50;

/** A paid task, and the take that it was accepted for. */
export interface PaidTask {
  readonly take: TakeRef;
  readonly taskId: string;
  /** ISO 8601. */
  readonly acceptedAt: string;
}

/** What is known of a lost take's ask. If `asked` is false, only its take key identifies the ask. */
export type LostIntent = Pick<
  Intent,
  'askKey' | 'count' | 'account' | 'renderId' | 'attempt' | 'model' | 'parameters'
> & { readonly asked: boolean };

export interface KeptTake {
  /** The take under its number in the ledger, which may differ from the workflow's. */
  readonly take: TakeRef;
  readonly history: TakeHistory;
}

type LedgerRecords = { readonly ledger: Ledger; readonly records: Records };

/**
 * The take of a paid task as the ledger has it. If the ledger lacks the take or its task, this first records it from
 * what the caller knows.
 *
 * May run again after each of its steps, and concurrently.
 *
 * @param lostIntent called only if the ledger lacks the take.
 * @throws TakeMismatch if the task belongs to another take by now, or the take continues with another task.
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
 * Records the sending of a take whose rebuilding stopped after the intent: its task is paid for. If the task belongs to
 * another take by now, the take becomes unclear and a person decides.
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

async function takeOrNone(ledger: Ledger, take: TakeAddress): Promise<TakeHistory | undefined> {
  try {
    return await ledger.take(take);
  } catch (error) {
    if (error instanceof IntentMissing) return undefined;
    throw error;
  }
}

/**
 * True if the ledger has the task as an acceptance of the take, or as the end of a take with an acceptance. A backup
 * may have an answer whose `accepted` record came right after it.
 */
function goesOnWith({ sendings, settled }: TakeHistory, taskId: string): boolean {
  const accepted = sendings.flatMap((one) => one.accepted?.taskId ?? []);
  return accepted.includes(taskId) || (settled?.taskId === taskId && accepted.length > 0);
}

/** The take with its key, under any number; else a new intent under a free number. */
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

/**
 * Finds the take's number by its key. An unreadable intent is another take's, unless it has this take's number: then
 * this throws.
 */
async function numberOf(records: Records, take: TakeRef): Promise<number | undefined> {
  const { productionId, shotId, takeKey } = take;
  for (const number of takeNumbers(await records.list(`ledger/${productionId}/${shotId}`))) {
    const read = (): Promise<unknown> => records.read(`${takeFolder({ productionId, shotId, take: number })}/intent`);
    const intent = number === take.take ? await read() : (await ifReadable(read))?.value;
    if ((intent as Partial<Intent> | null | undefined)?.takeKey === takeKey) return number;
  }
  return undefined;
}

/** The take's own number if no record there can be another take's; else the next number. */
async function freeNumber(records: Records, { take, taskId }: PaidTask): Promise<number> {
  const { productionId, shotId } = take;
  const names = (await records.list(takeFolder(take))).filter((name) => TAKE_RECORD.test(name));
  if (names.length === 0 || (await isOfTask(records, take, names, taskId))) return take.take;
  return Math.max(take.take, ...takeNumbers(await records.list(`ledger/${productionId}/${shotId}`))) + 1;
}

/**
 * True if records without an intent are all of this task: some name it, and none may belong to a sending of another
 * task.
 */
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
 * Claims the task for the take. Another take's claim counts only if that take has the task. A claim without its take
 * was left by a restore or a crash.
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

/** Records that the take was accepted as the task, as the sender did in the lost ledger. */
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
    // An execute's answer without an id is the only source of its result.
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

/** The sending that an unknown task answers. */
function sendingOf(history: TakeHistory): number {
  const now = standing(history);
  if (now.is === 'sendable' || now.is === 'sending' || now.is === 'unclear') return now.n;
  return history.sendings.at(-1)?.n ?? 1;
}
