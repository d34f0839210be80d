import { storedStatus } from '../client';
import { batchReport } from '../client/batch';
import { type ProductionStatus } from '../contracts/status';
import { createBatches, type Store } from '../store';
import { type Config } from '../workers/config';
import { type Session } from './session';

/** Whether a production or batch runs, by Temporal's account or else the store's; undefined where neither is known. */
export async function standingOf(
  { account }: Config,
  store: Store,
  session: Session | undefined,
  id: string,
): Promise<Pick<ProductionStatus, 'production' | 'state'> | undefined> {
  if ((await createBatches(store.records).begun(id)) === undefined) {
    return session?.client.status(id) ?? storedStatus(store, account, id);
  }
  const report = await (session?.client.batches.report(id) ?? batchReport(store, id, undefined));
  return report && { production: id, state: report.state };
}
