import { type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { productionWorkflowId } from '../../contracts/identifiers';
import { type ProductionStatus } from '../../contracts/status';
import { type Store } from '../../store';
import { ifFound } from '../temporal/live-status';
import { Refused } from '../wording/refused';
import { type HandleOf } from '../temporal/start-workflow';
import { taskIds } from './check-ledger';
import { type TaskFact } from './history-facts';
import { readHistories } from './read-histories';
import { type BookedTakes, bookedTakes } from '../records/booked-takes';

/** The longest time between the record of a render and the start of its workflow, including clock differences. */
const STARTED_WITHIN_MS = 60_000;

export interface UnknownTasksOptions {
  readonly temporal: Client;
  readonly store: Pick<Store, 'id' | 'name' | 'ledger' | 'productions' | 'histories' | 'restores'>;
  readonly account: string;
}

/**
 * Checks that the ledger has every task that Temporal's histories contain for a production. A render would pay again
 * for a task that the ledger lacks, so call this before every render and plan.
 *
 * Does not read the histories in these cases:
 * - Temporal has no run of the production's workflow.
 * - A person has restored the ledger, or taken over its store, since the last workflow run closed. For an open run, the
 *   time of its start counts.
 * - The store knows the last run, and the run is open.
 * - The store knows the last run, the run has completed, and the ledger has all tasks of its result.
 *
 * @throws Refused if the ledger lacks tasks of the production.
 */
export async function refuseUnknownTasks(options: UnknownTasksOptions, productionId: string): Promise<void> {
  const { temporal, store, account } = options;
  const workflowId = productionWorkflowId(store.id, productionId);
  const run = await ifFound(temporal.workflow.getHandle(workflowId).describe());
  if (run === undefined) return;
  if (await store.restores.wasRestoredSince((run.closeTime ?? run.startTime).toISOString())) return;
  const isKnown = await isOfLedger(store, productionId, run);
  if (isKnown && run.status.name === 'RUNNING') return;
  const booked = await bookedTakes(store, productionId);
  // Name the run: without its id, the result would be that of a render that another command has begun meanwhile.
  const ofRun: HandleOf<'production'> = temporal.workflow.getHandle(workflowId, run.runId);
  // A run that was terminated or timed out has no result.
  if (isKnown && run.status.name === 'COMPLETED' && hasTasksOf(booked, await ofRun.result())) return;
  const { facts } = await readHistories(store, productionId, temporal);
  const unknown = new Map<string, TaskFact>();
  for (const fact of facts) {
    if (!isBooked(booked, fact) && !(await isAdopted(store, account, fact))) unknown.set(fact.taskId, fact);
  }
  const [first] = unknown.values();
  if (first === undefined) return;
  throw new Refused(
    `Temporal knows ${unknown.size === 1 ? 'a task' : `${unknown.size} tasks`} of "${productionId}" that the ledger in ` +
      `${store.name} does not have, for example ${first.taskId} of ${first.shot}: the store is an older copy, or has lost records, ` +
      'and a render would pay again. If the newer store exists, name it by DAILIES_STORE. If not, type: ' +
      `dailies ledger ${productionId} --rebuild, which records the tasks again at no cost. To pay for all of it again, ` +
      'render it under another id with --id',
  );
}

/**
 * True if the workflow run is the last render that began or ended, according to the store. A run without a render id in
 * its memo counts if it started before the last recorded render, or shortly after.
 */
async function isOfLedger(
  store: UnknownTasksOptions['store'],
  productionId: string,
  { memo, startTime }: WorkflowExecutionDescription,
): Promise<boolean> {
  const { productions } = store;
  const begun = await productions.begun(productionId);
  const renderId = memo?.['renderId'];
  if (renderId === undefined) {
    return begun !== undefined && startTime.getTime() - Date.parse(begun.at) < STARTED_WITHIN_MS;
  }
  return renderId === begun?.renderId || renderId === (await productions.archived(productionId))?.renderId;
}

function hasTasksOf({ takes }: BookedTakes, { shots }: ProductionStatus): boolean {
  const inLedger = new Set(takes.flatMap(({ history }) => [...taskIds(history)]));
  return shots.every((shot) => shot.takes.every(({ taskId }) => taskId === null || inLedger.has(taskId)));
}

/**
 * True if the ledger has the task, or another task of the same take. True also if the shot has an unreadable take,
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

/** True if a take in the ledger has claimed the task, for example because a person adopted the task for that take. */
async function isAdopted(
  { ledger }: Pick<Store, 'ledger'>,
  account: string,
  { taskId, paid }: TaskFact,
): Promise<boolean> {
  if (paid === undefined) return false;
  const owner = await ledger.ownerOf({ account, taskId, model: paid.take.model });
  return owner !== undefined && (await ledger.take(owner)) !== undefined;
}
