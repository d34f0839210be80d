import { type Standing, storedStatus } from '../client';
import { batchReport } from '../client/batch';
import { createBatches, type Store } from '../store';
import { type Config } from '../workers/config';
import { type Session } from './session';

/** Whether a production or batch runs, by Temporal's account or else the store's; undefined where neither is known. */
export async function standingOf(
  { account }: Config,
  store: Store,
  session: Session | undefined,
  id: string,
): Promise<Standing | undefined> {
  if ((await createBatches(store.records).begun(id)) === undefined) {
    const status = await (session?.client.status(id) ?? storedStatus(store, account, id));
    return status && { what: 'production', id, state: status.state };
  }
  const report = await (session?.client.batches.report(id) ?? batchReport(store, id, undefined));
  return report && { what: 'batch', id, state: report.state };
}
