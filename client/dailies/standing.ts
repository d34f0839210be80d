import { createBatches, type Store } from '../../store';
import { batchReport } from '../batch';
import { type DailiesClient } from './dailies-client';
import { type Standing } from '../status/paused';
import { storedStatus } from '../status/stored-status';
import { type PriceTable } from '../../contracts/price-table';

export interface StandingContext {
  readonly account: string;
  readonly prices: PriceTable;
  readonly store: Store;
  /** Undefined if Temporal is not asked, or cannot be reached. */
  readonly client: Pick<DailiesClient, 'status' | 'batches'> | undefined;
}

/** The state of a production or batch, from Temporal or else the store; undefined if it is known to neither. */
export async function standingOf(
  { account, prices, store, client }: StandingContext,
  id: string,
): Promise<Standing | undefined> {
  if ((await createBatches(store.records).begun(id)) === undefined) {
    const status = await (client?.status(id) ?? storedStatus(store, account, id, prices));
    return status && { what: 'production', id, state: status.state };
  }
  const report = await (client?.batches.report(id) ?? batchReport(store, id, undefined));
  return report && { what: 'batch', id, state: report.state };
}
