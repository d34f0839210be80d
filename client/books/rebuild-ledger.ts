import { type Client } from '@temporalio/client';
import { type TakeOutput } from '../../contracts/activities';
import {
  ensureTake,
  lostIntent,
  outputOf,
  ledgerState,
  type Store,
  TakeMismatch,
  type WorkflowTask,
} from '../../store';
import { hasRecords } from '../records/has-records';
import { readFrozen } from '../records/read-frozen';
import { taskIds } from './check-ledger';
import { type HistoryEnd } from './history-facts';
import { type HistoriesRead, readHistories } from './read-histories';
import { type BookedTake, bookedTakes } from '../records/booked-takes';

export interface RebuildRequest {
  readonly store: Store;
  readonly account: string;
  readonly production: string;
  /** Absent if Temporal is not running. Then only archived histories are read. */
  readonly temporal?: Client;
}

/** A task whose record, end or output was missing in the ledger. */
export interface RebuiltTask {
  readonly shot: string;
  readonly take: number;
  readonly task: string;
  /** Why the task was not rebuilt; null if it was rebuilt. */
  readonly left: string | null;
}

/**
 * Rebuilds lost takes, tasks, ends and outputs in the ledger from the histories, by the rules of
 * docs/decisions/0039-restore-under-running-workflows.md. Sends and spends nothing.
 *
 * @returns undefined if neither the store nor a history that was read has anything of the production.
 */
export async function rebuildLedger({
  store,
  account,
  production,
  temporal,
}: RebuildRequest): Promise<readonly RebuiltTask[] | undefined> {
  const { facts, runningShots, ...histories } = await readHistories(store, production, temporal);
  if (histories.archived + histories.atTemporal === 0 && !(await hasRecords(store, production))) return undefined;
  const { takes } = await bookedTakes(store, production);
  const inLedger = new Set(takes.flatMap(({ history }) => [...taskIds(history)]));
  const lost = new Map<string, WorkflowTask>();
  for (const { taskId, paid } of facts) {
    if (paid !== undefined && !inLedger.has(taskId) && lost.get(taskId)?.asked === undefined) lost.set(taskId, paid);
  }
  const rebuilt: RebuiltTask[] = [];
  for (const paid of lost.values()) rebuilt.push(await rebuild(store, account, paid));
  const completed = await completeEnds(store, { account, production, facts, runningShots });
  const rebuiltIds = new Set(rebuilt.map(({ task }) => task));
  return [...rebuilt, ...completed.filter(({ task }) => !rebuiltIds.has(task))];
}

/**
 * Records ends and outputs that the ledger lacks. A later render would record them only for takes that the film uses.
 */
async function completeEnds(
  store: Store,
  {
    account,
    production,
    facts,
    runningShots,
  }: Pick<RebuildRequest, 'account' | 'production'> & Pick<HistoriesRead, 'facts' | 'runningShots'>,
): Promise<readonly RebuiltTask[]> {
  const ends = new Map(facts.flatMap(({ taskId, end }) => (end === undefined ? [] : [[taskId, end] as const])));
  // Use a task's last output: earlier outputs may lack the last frame, which is stored after the clip.
  const outputs = new Map(facts.flatMap(({ taskId, output }) => (output ? [[taskId, output] as const] : [])));
  const recorded: RebuiltTask[] = [];
  for (const booked of (await bookedTakes(store, production)).takes) {
    const now = ledgerState(booked.history);
    const task = now.is === 'accepted' ? now.taskId : now.is === 'settled' ? now.settled.taskId : undefined;
    if (task === undefined || booked.history.intent.account !== account) continue;
    // A running workflow records its output itself, and its history may not have the last frame yet.
    const output = runningShots.has(booked.shot) ? undefined : outputs.get(task);
    const isNew = await completeEnd(store, booked, { task, end: ends.get(task), output });
    if (isNew) recorded.push({ shot: booked.shot, take: booked.history.take, task, left: null });
  }
  return recorded;
}

/** @returns whether anything was recorded. */
async function completeEnd(
  { ledger }: Store,
  { production, shot, history }: BookedTake,
  inHistory: { readonly task: string; readonly end: HistoryEnd | undefined; readonly output: TakeOutput | undefined },
): Promise<boolean> {
  const { task, end, output } = inHistory;
  const take = { productionId: production, shotId: shot, take: history.take, takeKey: history.intent.takeKey };
  const lacksEnd = history.settled === undefined && end !== undefined;
  const lacksOutput = outputOf(history, task) === undefined && output !== undefined;
  if (lacksEnd) {
    const at = new Date().toISOString();
    await ledger.settle(take, { ...end, taskId: task, text: null, raw: null, at, rebuilt: { at } });
  }
  if (lacksOutput) await ledger.noteOutput(take, task, output);
  return lacksEnd || lacksOutput;
}

async function rebuild(store: Store, account: string, paid: WorkflowTask): Promise<RebuiltTask> {
  const { taskId: task, take, asked } = paid;
  const place = { shot: take.shotId, task };
  const frozen = asked && (await readFrozen(store.assets, asked.production).catch(() => undefined));
  const intent = lostIntent(
    account,
    paid,
    frozen?.shots.find(({ id }) => id === take.shotId),
  );
  if (!intent.asked) {
    const left = `it is not certain that the account ${account} requested this task: the frozen production is lost, or does not match the take; another account may have requested the task`;
    return { ...place, take: take.take, left };
  }
  try {
    const kept = await ensureTake(store.ledger, paid, () => Promise.resolve(intent));
    return { ...place, take: kept.take.take, left: null };
  } catch (error) {
    if (!(error instanceof TakeMismatch)) throw error;
    return { ...place, take: take.take, left: error.message };
  }
}
