import { type Client } from '@temporalio/client';
import { createQuotes, openStore, type Store } from '../../store';
import { audit, type Audit } from '../books';
import { connectTemporal, type ConnectTemporalOptions } from '../connect';
import { createDailiesClient, type DailiesClient } from '../dailies-client';
import { unknownProduction } from '../refused';
import { type AccountPrograms, createAccountPrograms } from './account';
import { type Batches, createBatchPrograms } from './batches';
import { type ProgramConfig, type ProgramContext } from './context';
import { createDirecting, type Directing } from './directing';
import { createProductions, type Productions } from './productions';
import { createSchedulePrograms, type SchedulePrograms } from './schedule-programs';
import { createTasks, type Tasks } from './tasks';

/** Dailies for a program of your own: what the command does, as functions. See docs/programs.md. */
export interface Dailies extends Productions, Tasks, Directing, Batches, AccountPrograms {
  /** Productions and batches at times that a calendar names. */
  readonly schedules: SchedulePrograms;
  /** Holds a production's ledger, store and histories against each other. Spends nothing. @throws Refused */
  audit(productionId: string): Promise<Audit>;
  /** The parts beneath, for what this has no function for. */
  readonly store: Store;
  readonly client: DailiesClient;
  readonly temporal: Client;
  /** Lets go of the connection; what still waits rejects. What was begun goes on as long as workers run. */
  close(): Promise<void>;
}

/** The account and the store, and which Temporal server. */
export interface ConnectOptions extends ProgramConfig, ConnectTemporalOptions {}

/**
 * Connects to Temporal and opens the store.
 *
 * @param onClose called when the connection has been let go.
 * @throws TemporalUnreachable, StoreError
 */
export async function connectDailies(
  { address, env, ...config }: ConnectOptions,
  onClose: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Dailies> {
  const { account, prices = {} } = config;
  const store = await openStore(config.storeFolder);
  const temporal = await connectTemporal({ address, env });
  const client = createDailiesClient({ temporal: temporal.client, store, account });
  const quotes = (): ReturnType<typeof createQuotes> => createQuotes(store.records, account, prices);
  const context: ProgramContext = { config, store, client, quotes };
  return {
    ...createProductions(context),
    ...createTasks(context),
    ...createDirecting(context),
    ...createBatchPrograms(context),
    ...createAccountPrograms(context),
    schedules: createSchedulePrograms(context),
    async audit(production) {
      const found = await audit({ store, account, production, temporal: temporal.client });
      if (found === undefined) throw unknownProduction(production);
      return found;
    },
    store,
    client,
    temporal: temporal.client,
    async close() {
      try {
        await temporal.close();
      } finally {
        await onClose();
      }
    },
  };
}
