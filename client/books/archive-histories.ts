import { type Client } from '@temporalio/client';
import {
  batchWorkflowId,
  GENERATIONS,
  generateWorkflowId,
  productionWorkflowId,
  shotWorkflowId,
} from '../../contracts/identifiers';
import { errorCode, type Store, UnreadableRecord } from '../../store';

export interface ArchiveOptions {
  readonly temporal: Client;
  readonly store: Store;
  /** The workflow task queue of this account and store. */
  readonly taskQueue: string;
  /** Only workflows that closed after this time. Default: all that Temporal still has. */
  readonly since?: Date;
  /** When the signal aborts, archiving stops after the current history. */
  readonly signal: AbortSignal;
  /** Ids of runs that are known to be archived. `archiveHistories` adds to the set. Default: an empty set. */
  readonly archivedRunIds?: Set<string>;
}

/**
 * Archives the histories of closed productions, batches, shots and single tasks that are not archived yet.
 *
 * Several workers may do this at once: they write the same bytes under the same names.
 *
 * @returns the number of histories that this call has archived.
 * @throws an error of the disk or of the listing at once; otherwise the first error, after all histories were tried.
 */
export async function archiveHistories({
  temporal,
  store,
  taskQueue,
  since,
  signal,
  archivedRunIds = new Set(),
}: ArchiveOptions): Promise<number> {
  const archive = store.histories;
  const ownerOf = await createOwnerOf(store);
  const failures: unknown[] = [];
  let archived = 0;
  const closed = [`TaskQueue = "${taskQueue}"`, 'ExecutionStatus != "Running"'];
  if (since !== undefined) closed.push(`CloseTime > "${since.toISOString()}"`);
  for await (const { workflowId, runId } of temporal.workflow.list({ query: closed.join(' AND ') })) {
    if (signal.aborted) break;
    const production = ownerOf(workflowId);
    if (production === undefined || archivedRunIds.has(runId)) continue;
    try {
      if (!(await archive.has(production, runId))) {
        const history = await temporal.workflow.getHandle(workflowId, runId).fetchHistory();
        await archive.put(production, { workflowId, runId }, history);
        archived += 1;
      }
      archivedRunIds.add(runId);
    } catch (error) {
      // The store cannot be used, so the other histories would be read from Temporal in vain.
      if (isDiskError(error)) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return archived;
}

/** True for an error of the disk as a whole. An `UnreadableRecord` concerns one record, although it may have a code. */
function isDiskError(error: unknown): boolean {
  return errorCode(error) !== undefined && !(error instanceof UnreadableRecord);
}

/**
 * Creates a function that finds the id of the production or batch that a workflow belongs to. The function returns
 * `GENERATIONS` for a single task, and undefined for any other workflow.
 */
async function createOwnerOf({ id: storeId, ...store }: Store): Promise<(workflowId: string) => string | undefined> {
  const ownerIds = new Map([[generateWorkflowId(storeId, ''), GENERATIONS]]);
  for (const production of await store.productions.ids()) {
    ownerIds.set(productionWorkflowId(storeId, production), production);
    ownerIds.set(shotWorkflowId(storeId, production, ''), production);
  }
  for (const batch of await store.batches.ids()) {
    ownerIds.set(batchWorkflowId(storeId, batch), batch);
    ownerIds.set(shotWorkflowId(storeId, batch, ''), batch);
  }
  return (workflowId) => ownerIds.get(workflowId) ?? ownerIds.get(workflowId.slice(0, workflowId.lastIndexOf('/') + 1));
}
