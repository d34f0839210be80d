import { type Client } from '@temporalio/client';
import { batchWorkflowId, productionWorkflowId, shotWorkflowId } from '../../contracts/identifiers';
import { createBatches, type Store } from '../../store';
import { createHistoryArchive } from './history-archive';

export interface ArchiveOptions {
  readonly temporal: Client;
  readonly store: Store;
  /** The workflow task queue of this account and store. */
  readonly taskQueue: string;
  /** Only workflows that closed after this time. Default: all that Temporal still has. */
  readonly since?: Date;
  /** Checked between two histories. */
  readonly signal: AbortSignal;
  /** Ids of runs that are already archived; this function adds to it. Default: none. */
  readonly known?: Set<string>;
}

/**
 * Archives the histories of closed productions, batches and shots that are not archived yet.
 *
 * Several workers may do it at once: they write the same bytes under the same names.
 *
 * @returns the number of new histories.
 */
export async function archiveHistories({
  temporal,
  store,
  taskQueue,
  since,
  signal,
  known = new Set(),
}: ArchiveOptions): Promise<number> {
  const archive = createHistoryArchive(store);
  const ownerOf = await owners(store);
  let archived = 0;
  const closed = [`TaskQueue = "${taskQueue}"`, 'ExecutionStatus != "Running"'];
  if (since !== undefined) closed.push(`CloseTime > "${since.toISOString()}"`);
  for await (const { workflowId, runId } of temporal.workflow.list({ query: closed.join(' AND ') })) {
    if (signal.aborted) break;
    const production = ownerOf(workflowId);
    if (production === undefined || known.has(runId)) continue;
    if (!(await archive.has(production, runId))) {
      const history = await temporal.workflow.getHandle(workflowId, runId).fetchHistory();
      await archive.put(production, { workflowId, runId }, history);
      archived += 1;
    }
    known.add(runId);
  }
  return archived;
}

/** Finds the production or batch that a workflow belongs to, if the store knows it. */
async function owners({ id: storeId, records }: Store): Promise<(workflowId: string) => string | undefined> {
  const productions = new Map<string, string>();
  for (const production of await records.list('productions')) {
    productions.set(productionWorkflowId(storeId, production), production);
    productions.set(shotWorkflowId(storeId, production, ''), production);
  }
  for (const batch of await createBatches(records).ids()) {
    productions.set(batchWorkflowId(storeId, batch), batch);
    productions.set(shotWorkflowId(storeId, batch, ''), batch);
  }
  return (workflowId) =>
    productions.get(workflowId) ?? productions.get(workflowId.slice(0, workflowId.lastIndexOf('/') + 1));
}
