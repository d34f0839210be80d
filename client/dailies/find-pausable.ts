import { ifReadable, type Store } from '../../store';
import { batchReport } from '../batch';
import { type DailiesClient } from './dailies-client';
import { type Pausable } from '../status/paused';
import { storedStatus } from '../status/stored-status';
import { type PriceTable } from '../../contracts/money/price-table';

export interface PausableContext {
  readonly account: string;
  readonly prices: PriceTable;
  readonly store: Store;
  /** Undefined if Temporal is not running or not needed. The state then comes from the store. */
  readonly client: Pick<DailiesClient, 'status' | 'batches'> | undefined;
}

/**
 * Reads the state of a production or batch from Temporal, or else from the store; undefined if the id is unknown.
 *
 * If the records are unreadable, the state is `running`, because the workflow may be running: a pause must be able to
 * stop it.
 */
export async function findPausable(
  { account, prices, store, client }: PausableContext,
  id: string,
): Promise<Pausable | undefined> {
  const batch = await ifReadable(() => store.batches.begun(id));
  const isBatch = batch === undefined || batch.value !== undefined;
  const found = await ifReadable<Pick<Pausable, 'state'> | undefined>(() =>
    isBatch
      ? (client?.batches.report(id) ?? batchReport(store, id, undefined))
      : (client?.status(id) ?? storedStatus(store, account, id, prices)),
  );
  const state = found === undefined ? 'running' : found.value?.state;
  return state && { what: isBatch ? 'batch' : 'production', id, state };
}
