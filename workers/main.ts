import { once } from 'node:events';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { type DestinationStream, pino } from 'pino';
import { holdInterrupted } from '../client/records/interrupted';
import { isServed } from '../client/temporal/pollers';
import { workflowQueue } from '../contracts/task-queues';
import { type Timeouts } from '../gateway';
import { accountHash, openStore, type Store } from '../store';
import { refuseCopy } from '../store/backup/copies';
import { type Config, keyWarning, readConfig } from './config/config';
import { refuseUnnamedNewLedger } from './store/new-ledger';
import { checkOwnStore, openOwnStore } from './store/own-store';
import { otherKey } from './store/other-key';
import { workerDependencies } from './dependencies';
import { configuredDeployment, WORKFLOW_BUNDLE } from './config/deployment';
import { endWithParent, type PartStart, tellParent } from './embedded/part-process';
import { keepHeapLean } from './lean-memory';
import { watchSendings } from './sendings-in-flight';
import { stopOnSignals } from './stop-signals';
import { startWorkerOn } from './worker';
import { loadWorkerPackage } from './worker-package';

/**
 * Runs a worker as a process: alone (`dailies worker`), or in the embedded set, the servers and worker that commands
 * start on this machine and share. The set starts the process with an IPC channel, through which the worker reports
 * that it is ready.
 */

/** Options of the set, the drill (docs/drill.md) and `dailies worker`. */
export interface MainOptions {
  /**
   * Puts interrupted productions and batches, and scheduled runs, on hold before the worker takes work. Skipped if
   * another worker has just polled the queue of this account and store. A set that has just started uses this option:
   * the person who started the set may not want to pay for interrupted work.
   */
  readonly holdsInterrupted?: boolean;
  /** The worker begins no scheduled runs while the store has them on hold. A set uses this option. */
  readonly holdsRuns?: boolean;
  /** Wraps the store, so that the drill can stop the worker at given points. */
  readonly store?: (store: Store) => Store;
  /** An error of this function stops the worker. */
  readonly onReady?: () => Promise<void>;
  /** Timeouts of calls to the gateway. */
  readonly timeouts?: Partial<Timeouts>;
}

/**
 * Runs a worker until SIGTERM, SIGINT or SIGHUP, or until the worker cannot continue. A second signal does not
 * interrupt a submit in flight. A third signal, or the time limit of `stopOnSignals`, ends the process at once.
 */
export async function main(config: Config = readConfig(), options: MainOptions = {}): Promise<void> {
  const {
    holdsInterrupted = false,
    holdsRuns = false,
    store: wrapStore = (store: Store) => store,
    timeouts = {},
  } = options;
  keepHeapLean();
  await checkOwnStore(config);
  await refuseUnnamedNewLedger(config);
  await refuseCopy(config.storeFolder);
  const activities = workerDependencies(config, timeouts);
  const { DefaultLogger, makeTelemetryFilterString, NativeConnection, Runtime } = await loadWorkerPackage();
  const log = pino({ name: 'worker' }, openLog());
  Runtime.install({
    logger: new DefaultLogger('INFO', ({ level, message, meta }) => {
      log[level === 'WARN' ? 'warn' : level === 'ERROR' ? 'error' : 'info'](meta ?? {}, message);
    }),
    // The native core prints its lines to stdout unless they are forwarded.
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'WARN' }), forward: {} } },
    // `stopOnSignals` handles signals, because a second signal must not interrupt a submit in flight.
    shutdownSignals: [],
  });
  const warning = keyWarning(config);
  if (warning !== undefined) log.warn(warning);
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const connection = await NativeConnection.connect(connectionOptions);
  const store = await openOwnStore(config);
  const key = await otherKey(config, store, { notesFirst: true });
  if (key !== undefined) log.warn(`${key.words} ${key.remedy}.`);
  const queue = workflowQueue({ account: accountHash(config.account), storeId: store.id });
  if (holdsInterrupted && !(await isServed(connection, namespace, queue))) await holdInterrupted(store, config.account);
  const deployment = await configuredDeployment(config);
  const watched = watchSendings(store);
  const worker = await startWorkerOn({
    connection,
    namespace,
    workflowBundle: { codePath: WORKFLOW_BUNDLE },
    ...(deployment === undefined ? {} : { deployment }),
    activities: {
      ...activities,
      store: wrapStore(watched.store),
      ...(holdsRuns ? { runsHold: store.account(config.account).runsHold } : {}),
    },
    onNotice: (line) => {
      log.warn(line);
    },
  });
  const releaseSignals = stopOnSignals({
    stop: worker.stop,
    inFlight: watched.inFlight,
    say: (line) => {
      log.warn(line);
    },
  });
  tellParent('ready');
  log.info({ account: config.account, store: config.storeFolder, ...deployment }, 'worker is ready');
  try {
    await options.onReady?.();
  } catch (error) {
    worker.stop();
    throw error;
  } finally {
    await worker.ended.finally(releaseSignals);
    await activities.gateway.close();
    await connection.close();
  }
}

/** Opens stderr for the log. Errors of a closed terminal are ignored: a submit in flight must still get its answer. */
function openLog(): DestinationStream {
  return pino.destination(2).on('error', () => undefined);
}

/**
 * Runs the worker in the set. The first worker puts interrupted work on hold. A worker that replaces a lost one
 * (`announced` is not null) continues its work.
 */
async function mainAsPart(): Promise<void> {
  const [{ announced }] = (await once(process, 'message')) as [PartStart<null>];
  const config = readConfig();
  // Create a missing store here: the set always sets TEMPORAL_ADDRESS, and `main` may then refuse to create one.
  await openStore(config.storeFolder, config.storeId);
  await main(config, { holdsInterrupted: announced === null, holdsRuns: true });
}

/** Runs a worker as this process. The process ends when the worker ends or the parent is gone. */
export function runAsProcess(work: () => Promise<void>): void {
  process.once('disconnect', endWithParent);
  work().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    },
  );
}

if (require.main === module) runAsProcess(process.send === undefined ? main : mainAsPart);
