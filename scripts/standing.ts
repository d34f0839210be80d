import { type Standing, storedStatus } from '../client';
import { batchReport } from '../client/batch';
import { type ProductionStatus } from '../contracts/status';
import { createBatches, type Store } from '../store';
import { type Config } from '../workers/config';
import { openSessionIfUp, type Session } from './session';

/** Where a production stands, without anything being brought up for that; undefined where it is not known. */
export async function statusIfUp(
  config: Config,
  store: Store,
  productionId: string,
): Promise<ProductionStatus | undefined> {
  const session = await openSessionIfUp(config, store);
  try {
    return await (session?.client.status(productionId) ??
      storedStatus(store, config.account, productionId, config.prices));
  } finally {
    await session?.close();
  }
}

/** Whether a production or batch runs, by Temporal's account or else the store's; undefined where neither is known. */
export async function standingOf(
  { account, prices }: Config,
  store: Store,
  session: Session | undefined,
  id: string,
): Promise<Standing | undefined> {
  if ((await createBatches(store.records).begun(id)) === undefined) {
    const status = await (session?.client.status(id) ?? storedStatus(store, account, id, prices));
    return status && { what: 'production', id, state: status.state };
  }
  const report = await (session?.client.batches.report(id) ?? batchReport(store, id, undefined));
  return report && { what: 'batch', id, state: report.state };
}
