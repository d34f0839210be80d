import { storedStatus } from '../../client';
import { type ProductionStatus } from '../../contracts/status';
import { type Store } from '../../store';
import { type Config } from '../../workers/config/config';
import { openSessionIfUp } from './session';

/** The status of a production, from the store if Temporal is not up; undefined if the production is unknown. */
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
