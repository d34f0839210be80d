import { type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { productionWorkflowId } from '../../contracts/identifiers';
import { type ProductionStatus } from '../../contracts/status';
import { isAnsweredFor, ownerOf, type Store } from '../../store';
import { ifFound } from '../temporal/live-status';
import { createProductionRecords } from '../records/production-records';
import { Refused } from '../wording/refused';
import { type HandleOf } from '../temporal/start-workflow';
import { taskIds } from './check-ledger';
import { type TaskFact } from './history-facts';
import { readHistories } from './read-histories';
import { type BookedTakes, bookedTakes } from '../records/booked-takes';

/** A render is recorded shortly before its workflow starts. Also covers clock differences. */
const STARTED_WITHIN_MS = 60_000;

export interface UnknownTasksOptions {
  readonly temporal: Client;
  readonly store: Pick<Store, 'id' | 'folder' | 'records' | 'assets' | 'ledger'>;
  readonly account: string;
}

/**
 * Refuses to render or plan a production if Temporal knows tasks of it that the ledger lacks: they would be paid for
 * again. Reads histories only if the last workflow run does not match the ledger.
 *
 * @throws Refused
 */
export async function refuseUnknownTasks(options: UnknownTasksOptions, productionId: string): Promise<void> {
  const { temporal, store, account } = options;
  const handle: HandleOf<'production'> = temporal.workflow.getHandle(productionWorkflowId(store.id, productionId));
  const run = await ifFound(handle.describe());
  if (run === undefined) return;
  if (await isAnsweredFor(store.records, (run.closeTime ?? run.startTime).toISOString())) return;
  const isKnown = await isOfLedger(store, productionId, run);
  if (isKnown && run.status.name !== 'COMPLETED') return;
  const booked = await bookedTakes(store, productionId);
  if (isKnown && hasTasksOf(booked, await handle.result())) return;
  const { facts } = await readHistories(store, productionId, temporal);
  const unknown = new Map<string, TaskFact>();
  for (const fact of facts) {
    if (!isBooked(booked, fact) && !(await isAdopted(store, account, fact))) unknown.set(fact.taskId, fact);
  }
  const [first] = unknown.values();
  if (first === undefined) return;
  throw new Refused(
    `Temporal knows ${unknown.size === 1 ? 'a task' : `${unknown.size} tasks`} of "${productionId}" that the ledger in ` +
      `${store.folder} does not have, as ${first.taskId} of ${first.shot}: the store is an older copy, or has lost records, ` +
      'and a render would pay again. If the newer store exists, name it by DAILIES_STORE. If not, type: ' +
      `dailies ledger ${productionId} --rebuild, which notes the tasks again at no cost. To pay for all of it again, ` +
      'render it by another name with --id',
  );
}

/** Whether the ledger knows the run as the last render that began or ended. */
async function isOfLedger(
  store: UnknownTasksOptions['store'],
  productionId: string,
  { memo, startTime }: WorkflowExecutionDescription,
): Promise<boolean> {
  const records = createProductionRecords(store);
  const begun = await records.begun(productionId);
  const renderId = memo?.['renderId'];
  if (renderId === undefined) {
    return begun !== undefined && startTime.getTime() - Date.parse(begun.at) < STARTED_WITHIN_MS;
  }
  return renderId === begun?.renderId || renderId === (await records.archived(productionId))?.renderId;
}

function hasTasksOf({ takes }: BookedTakes, { shots }: ProductionStatus): boolean {
  const known = new Set(takes.flatMap(({ history }) => [...taskIds(history)]));
  return shots.every((shot) => shot.takes.every(({ taskId }) => taskId === null || known.has(taskId)));
}

/**
 * Whether the ledger has the task, or another task of the same take. A shot with an unreadable take counts as known,
 * because that take stops the shot.
 */
function isBooked({ takes, broken }: BookedTakes, { shot, take, taskId, paid }: TaskFact): boolean {
  if (broken.some((one) => one.shot === shot)) return true;
  return takes.some(({ shot: shotId, history }) => {
    const tasks = taskIds(history);
    if (tasks.has(taskId)) return true;
    const isOfTake = paid === undefined ? history.take === take : history.intent.takeKey === paid.take.takeKey;
    return shotId === shot && isOfTake && tasks.size > 0;
  });
}

/** Whether a person has adopted the task for another take in the ledger. */
async function isAdopted(
  { records, ledger }: Pick<Store, 'records' | 'ledger'>,
  account: string,
  { taskId, paid }: TaskFact,
): Promise<boolean> {
  if (paid === undefined) return false;
  const owner = await ownerOf(records, { account, taskId, model: paid.take.model });
  return owner !== undefined && (await ledger.take(owner)) !== undefined;
}
