import { type Store } from '../../store';
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

/** Reads the state of a production or batch from Temporal, or else from the store; undefined if the id is unknown. */
export async function findPausable(
  { account, prices, store, client }: PausableContext,
  id: string,
): Promise<Pausable | undefined> {
  if ((await store.batches.begun(id)) === undefined) {
    const status = await (client?.status(id) ?? storedStatus(store, account, id, prices));
    return status && { what: 'production', id, state: status.state };
  }
  const report = await (client?.batches.report(id) ?? batchReport(store, id, undefined));
  return report && { what: 'batch', id, state: report.state };
}
