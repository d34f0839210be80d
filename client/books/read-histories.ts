import { type Client } from '@temporalio/client';
import { GENERATIONS, generateWorkflowId, productionWorkflowId, shotWorkflowId } from '../../contracts/identifiers';
import { type Store } from '../../store';
import { grpcErrorIn } from '../temporal/unavailable';
import { type TaskFact, taskFacts } from './history-facts';

/** What a production's workflow histories say about its tasks. */
export interface HistoriesRead {
  readonly facts: readonly TaskFact[];
  /** Number of histories that were read from Temporal. */
  readonly atTemporal: number;
  /** Number of histories that were read from the archive. */
  readonly archived: number;
  /** Whether a workflow of the production is running; undefined if Temporal was not asked. */
  readonly isRunning: boolean | undefined;
  readonly runningShots: ReadonlySet<string>;
}

/** Reads a production's histories from the archive and, if a client is given, from Temporal. */
export async function readHistories(
  store: Pick<Store, 'id' | 'histories'>,
  production: string,
  temporal: Client | undefined,
): Promise<HistoriesRead> {
  const archive = store.histories;
  const facts: TaskFact[] = [];
  const archivedRuns = new Set<string>();
  for (const one of await archive.list(production)) {
    const history = await archive.read(one);
    if (history === undefined) continue;
    archivedRuns.add(one.runId);
    facts.push(...taskFacts(history));
  }
  const read = { facts, archived: archivedRuns.size, atTemporal: 0 };
  if (temporal === undefined) return { ...read, isRunning: undefined, runningShots: new Set() };

  const shotPrefix =
    production === GENERATIONS ? generateWorkflowId(store.id, '') : shotWorkflowId(store.id, production, '');
  const query = `WorkflowId = "${productionWorkflowId(store.id, production)}" OR WorkflowId STARTS_WITH "${shotPrefix}"`;
  const runningShots = new Set<string>();
  let isRunning = false;
  for await (const { workflowId, runId, status } of temporal.workflow.list({ query })) {
    if (status.name === 'RUNNING') {
      isRunning = true;
      if (workflowId.startsWith(shotPrefix)) runningShots.add(workflowId.slice(shotPrefix.length));
    }
    if (archivedRuns.has(runId)) continue;
    const history = await unlessDeleted(temporal.workflow.getHandle(workflowId, runId).fetchHistory());
    if (history === undefined) continue;
    facts.push(...taskFacts(JSON.parse(JSON.stringify(history))));
    read.atTemporal += 1;
  }
  return { ...read, isRunning, runningShots };
}

/** gRPC code of the answer if Temporal does not have the workflow run. */
const NOT_FOUND = 5;

/** The answer of a call; undefined if Temporal has deleted the run since it was listed (its retention has ended). */
async function unlessDeleted<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (grpcErrorIn(error)?.code === NOT_FOUND) return undefined;
    throw error;
  }
}
