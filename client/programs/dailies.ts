import { type Client } from '@temporalio/client';
import { openStore, type Quotes, type Store } from '../../store';
import { audit, type Audit } from '../books';
import { connectTemporal, type ConnectTemporalOptions, type TemporalConnection } from '../temporal/connect';
import { type FindTask } from '../records/decide-in-ledger';
import { createDailiesClient, type DailiesClient } from '../dailies/dailies-client';
import { refuseStale } from '../temporal/latest-take';
import { NO_WORKER } from '../temporal/pollers';
import { unknownProduction } from '../wording/refused';
import { type AccountPrograms, createAccountPrograms } from './account';
import { type Batches, createBatchPrograms } from './batches';
import { type ProgramConfig, type ProgramContext } from './context';
import { createDirecting, type Directing } from './directing';
import { createProductions, type Productions } from './productions';
import { createSchedulePrograms, type SchedulePrograms } from './schedule-programs';
import { createSteering, type Steering } from './steering';
import { createTasks, type Tasks } from './tasks';

/** The features of the `dailies` command, as functions for programs. See docs/programs.md. */
export interface Dailies extends Productions, Tasks, Directing, Steering, Batches, AccountPrograms {
  /** Productions and batches that start at given times. */
  readonly schedules: SchedulePrograms;
  /** Compares a production's ledger, store and histories. Spends nothing. @throws Refused for an unknown production */
  audit(productionId: string): Promise<Audit>;
  /** The lower layers, for programs that need more than these functions: store, client and Temporal's own client. */
  readonly store: Store;
  readonly client: DailiesClient;
  readonly temporal: Client;
  /** Closes the connection and rejects pending calls. Renders continue as long as workers run. */
  close(): Promise<void>;
}

export interface ProgramOptions {
  /** Called with messages for a person, for example that no worker serves the account. Default: a process warning. */
  readonly onNotice?: ((line: string) => void) | undefined;
  /** Whether a worker serves the account. Default: asks Temporal for workers that poll. */
  readonly hasWorker?: () => Promise<boolean>;
}

export interface ConnectOptions extends ProgramConfig, ConnectTemporalOptions, ProgramOptions {}

/**
 * Connects to Temporal and opens the store.
 *
 * @param onClose called by `close`, after the connection is closed.
 * @throws errors of `openStore` and `connectTemporal`; StoreError if the store is a copy or lacks the take sent last
 */
export async function connectDailies(
  { address, env, onNotice, hasWorker, ...config }: ConnectOptions,
  onClose?: () => Promise<unknown>,
): Promise<Dailies> {
  const store = await openStore(config.storeFolder);
  await store.refuseCopy();
  const temporal = await connectTemporal({ address, env });
  try {
    await refuseStale({ temporal: temporal.client, store, account: config.account });
  } catch (error) {
    await temporal.close();
    throw error;
  }
  const options = { onNotice, ...(hasWorker === undefined ? {} : { hasWorker }) };
  return dailiesOver({ temporal, store, config, ...options }, onClose);
}

export interface DailiesParts extends ProgramOptions {
  /** Closed together with `Dailies`. */
  readonly temporal: TemporalConnection;
  readonly store: Store;
  readonly config: ProgramConfig;
  /** Absent in programs: they do not call the gateway. */
  readonly findTask?: FindTask;
}

/** Dailies on an open connection and store. */
export function dailiesOver(
  { temporal, store, config, findTask, onNotice = warn, ...options }: DailiesParts,
  onClose: () => Promise<unknown> = () => Promise.resolve(),
): Dailies {
  const { account, prices = {} } = config;
  const client = createDailiesClient({
    ...{ temporal: temporal.client, store, account, prices },
    ...(findTask === undefined ? {} : { findTask }),
  });
  const hasWorker = options.hasWorker ?? (() => client.hasWorker());
  const quotes = (): Quotes => store.account(account).quotes(prices);
  let isTold = false;
  async function tellOfNoWorker(): Promise<void> {
    // Do not warn if the check itself fails.
    if (isTold || (await hasWorker().catch(() => true))) return;
    isTold = true;
    onNotice(`${NO_WORKER} The account is "${account}", the store ${config.storeFolder}.`);
  }
  const context: ProgramContext = { config, store, client, quotes, hasWorker, tellOfNoWorker };
  return {
    ...createProductions(context),
    ...createTasks(context),
    ...createDirecting(context),
    ...createSteering(context),
    ...createBatchPrograms(context),
    ...createAccountPrograms(context),
    schedules: createSchedulePrograms(context),
    async audit(production) {
      const found = await audit({ store, account, production, temporal: temporal.client });
      if (found === undefined) throw unknownProduction(production, await client.productions.ids());
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

function warn(line: string): void {
  process.emitWarning(line);
}
