import { Client } from '@temporalio/client';
import { createDailiesClient, type DailiesClient } from '../../client';
import { DATA_CONVERTER } from '../../client/temporal/large-payloads';
import { type HistoryBounds } from '../../workflows/temporal/history-bound';
import { type Rig } from '../support/rig';

/** A client that starts productions and batches with these bounds, so that few events fill a history. */
export function boundedClient({ temporal, store }: Rig, bounds: HistoryBounds): DailiesClient {
  const bounded = new Client({
    connection: temporal.connection,
    dataConverter: DATA_CONVERTER,
    interceptors: {
      workflow: [
        {
          startWithDetails: ({ options, ...input }, next) =>
            next({ ...input, options: { ...options, args: [...options.args, bounds] } }),
        },
      ],
    },
  });
  return createDailiesClient({ temporal: bounded, store, account: 'sandbox' });
}
