import { type StatusReader } from '../../client/status/status-reader';
import { storedStatus } from '../../client/status/stored-status';
import { type ProductionStatus } from '../../contracts/status';
import { type Store } from '../../store';
import { type Config } from '../../workers/config/config';
import { type ConnectedSet } from './connect-set';
import { isUp, unlessEnded } from './session';

export interface StatusIfUp extends StatusReader {
  /** Whether Temporal is up. Otherwise the status is read from the store alone. */
  readonly isUp: boolean;
  close(): Promise<unknown>;
}

/**
 * Opens a status reader. It uses Temporal if a server is configured or the embedded set runs, otherwise only the store.
 * Loads far fewer modules than a session.
 *
 * @throws TemporalUnreachable if the server does not answer; EmbeddedSetMismatch, EmbeddedSetFailed
 */
export async function openStatusIfUp(config: Config, store: Store): Promise<StatusIfUp> {
  const { account, prices } = config;
  const connected = (await isUp(config)) ? await connectedIfUp(config) : undefined;
  if (connected === undefined) {
    return {
      isUp: false,
      status: (productionId) => storedStatus(store, account, productionId, prices),
      lastReads: () => new Map(),
      close: () => Promise.resolve(),
    };
  }
  const { createStatusReader } = await import('../../client/status/status-reader.js');
  const reader = createStatusReader({ temporal: connected.temporal.client, store, account, prices });
  return { isUp: true, ...reader, close: () => connected.close() };
}

async function connectedIfUp(config: Config): Promise<ConnectedSet | undefined> {
  const { connectSet } = await import('./connect-set.js');
  return unlessEnded(connectSet(config, { startsNone: true }));
}

/** The status of a production, from the store if Temporal is not up; undefined if the production is unknown. */
export async function statusIfUp(
  config: Config,
  store: Store,
  productionId: string,
): Promise<ProductionStatus | undefined> {
  const statuses = await openStatusIfUp(config, store);
  try {
    return await statuses.status(productionId);
  } finally {
    await statuses.close();
  }
}
