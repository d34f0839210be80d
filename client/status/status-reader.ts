import { type Client } from '@temporalio/client';
import { productionWorkflowId, shotWorkflowId } from '../../contracts/identifiers';
import { type LastReads } from '../../contracts/manifest';
import { type PriceTable } from '../../contracts/money/price-table';
import { type ProductionStatus } from '../../contracts/status';
import { type Store } from '../../store';
import { createArbiterHandle } from '../temporal/limits';
import { liveStatus } from '../temporal/live-status';
import { createTroubles } from '../temporal/troubles';
import { storedStatus } from './stored-status';
import { withWaitReason } from './wait-reason';

/** Reads the status of productions of one account and one store. */
export interface StatusReader {
  /**
   * The status of a production, from its workflow or else from the store; undefined if neither knows the production.
   * The status of a running production includes troubles, such as failures of activities that are retried. Troubles are
   * read at most every few seconds.
   */
  status(productionId: string): Promise<ProductionStatus | undefined>;
  /** When the tasks of rendering shots were last found pending, as of the last read of troubles. */
  lastReads(productionId: string): LastReads;
}

export interface StatusReaderOptions {
  readonly temporal: Client;
  readonly store: Store;
  readonly account: string;
  /** Prices by which a budget reserves credits for tasks without a recorded charge. Default: none. */
  readonly prices?: PriceTable;
}

export function createStatusReader({ temporal, store, account, prices = {} }: StatusReaderOptions): StatusReader {
  const troubles = createTroubles({
    production: (productionId) => temporal.workflow.getHandle(productionWorkflowId(store.id, productionId)),
    shot: (productionId, shotId) => temporal.workflow.getHandle(shotWorkflowId(store.id, productionId, shotId)),
    queue: () => createArbiterHandle(temporal, store, account).waiting(),
  });
  return {
    async status(productionId) {
      const live = await liveStatus(temporal.workflow.getHandle(productionWorkflowId(store.id, productionId)));
      if (live.is === 'unknown') return storedStatus(store, account, productionId, prices);
      if (live.is === 'ended') return live.status;
      return withWaitReason(store, await troubles.addTo(live.status), await store.holds.inForce(productionId));
    },
    lastReads: (productionId) => troubles.lastReads(productionId),
  };
}
