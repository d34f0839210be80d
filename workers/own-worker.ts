import { loadClientConnectConfig } from '@temporalio/envconfig';
import { IllegalStateError, type Logger, type LogMetadata } from '@temporalio/common';
import { WORKFLOW_BUNDLE } from './config/deployment';
import { type DailiesWorker, type DailiesWorkerOptions, startWorkerOn } from './worker';
import { loadWorkerPackage, type WorkerPackage } from './worker-package';

/** Receives the log lines of a worker. Temporal's `Logger` has these methods. */
export interface WorkerLogger {
  trace?(message: string, meta?: LogMetadata): unknown;
  debug(message: string, meta?: LogMetadata): unknown;
  info(message: string, meta?: LogMetadata): unknown;
  warn(message: string, meta?: LogMetadata): unknown;
  error(message: string, meta?: LogMetadata): unknown;
}

type Replaced = 'connection' | 'namespace' | 'workflowBundle' | 'onNotice';

export interface OwnWorkerOptions extends Omit<DailiesWorkerOptions, Replaced> {
  /** The caller opens and closes this connection. Default: one from Temporal's environment configuration. */
  readonly connection?: DailiesWorkerOptions['connection'];
  /** Default: the namespace of Temporal's environment configuration, or `default`. */
  readonly namespace?: string;
  /** Default: Dailies' own bundle from the build. */
  readonly workflowBundle?: DailiesWorkerOptions['workflowBundle'];
  /**
   * Receives notices for a person, for example that the API key is refused. Default: `logger.warn`, or without a
   * `logger` a process warning.
   */
  readonly onNotice?: DailiesWorkerOptions['onNotice'];
  /**
   * Receives the log lines of this process's workers, and the native core's warnings and errors. Default: stderr for
   * the workers, stdout for the core.
   */
  readonly logger?: WorkerLogger;
  /** Prints only errors, and drops notices unless `onNotice` is given. Ignored if `logger` is given. Default: false. */
  readonly quiet?: boolean;
}

/** The process already has its Temporal runtime, with another logger. */
export class LoggerTooLate extends Error {
  override readonly name = 'LoggerTooLate';

  constructor() {
    super(
      "`logger` and `quiet` configure Temporal's runtime. A process has only one, and it exists already: a native " +
        'connection was made before, or a worker has another logger. Leave `connection` out, so that startWorker connects; or ' +
        'call Runtime.install({ logger }) of @temporalio/worker before you connect, and leave `logger` and `quiet` out',
    );
  }
}

/**
 * Starts the workers of one account and one store: workflows, submits, polls, media and notices, each on its own queue.
 *
 * @throws WorkerPackageMissing; LoggerTooLate; StoreError if the store is a copy, or is older than the take that was
 *   last sent (for example after a restore); Error if a name in `ownActivities` is taken by Dailies, or if Temporal
 *   cannot be reached.
 */
export async function startWorker(options: OwnWorkerOptions): Promise<DailiesWorker> {
  const { connection, logger, quiet = false, workflowBundle = { codePath: WORKFLOW_BUNDLE }, ...rest } = options;
  const temporal = await loadWorkerPackage();
  // Install the logger before the first native connection, which would start a runtime with another logger.
  if (logger !== undefined || quiet) installLogger(temporal, logger ?? QUIET);
  const config = loadClientConnectConfig();
  const used = connection ?? (await temporal.NativeConnection.connect(config.connectionOptions));
  const close = async (): Promise<void> => {
    if (connection === undefined) await used.close();
  };
  /** Throws the given error even if closing the connection fails. */
  const closeAndThrow = async (error: unknown): Promise<never> => {
    await close().catch(() => undefined);
    throw error;
  };
  try {
    const { ended, stop } = await startWorkerOn({
      namespace: config.namespace ?? 'default',
      onNotice: noticesTo(logger, quiet),
      ...rest,
      connection: used,
      workflowBundle,
    });
    return { ended: ended.then(close, closeAndThrow), stop };
  } catch (error) {
    return await closeAndThrow(error);
  }
}

function noticesTo(logger: WorkerLogger | undefined, quiet: boolean): (line: string) => void {
  if (logger !== undefined) return (line) => void logger.warn(line);
  return quiet
    ? () => undefined
    : (line) => {
        process.emitWarning(line);
      };
}

const QUIET = 'quiet';

/** The installed logger. A second worker of this process may ask for the same logger again. */
let installed: { readonly runtime: object; readonly logger: WorkerLogger | typeof QUIET } | undefined;

function installLogger(temporal: WorkerPackage, logger: WorkerLogger | typeof QUIET): void {
  const { Runtime, DefaultLogger, makeTelemetryFilterString } = temporal;
  // The native core prints its lines itself unless they are forwarded.
  const core = makeTelemetryFilterString(logger === QUIET ? { core: 'ERROR' } : { core: 'WARN' });
  try {
    const runtime = Runtime.install({
      logger: logger === QUIET ? new DefaultLogger('ERROR') : linesTo(DefaultLogger, logger),
      telemetryOptions: { logging: { filter: core, forward: {} } },
    });
    installed = { runtime, logger };
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
    if (installed?.logger !== logger || installed.runtime !== Runtime.instance()) throw new LoggerTooLate();
  }
}

/** Temporal's own logger at its lowest level. It passes each line to the given logger. */
function linesTo(DefaultLogger: WorkerPackage['DefaultLogger'], to: WorkerLogger): Logger {
  return new DefaultLogger('TRACE', ({ level, message, meta }) => {
    if (level === 'TRACE') to.trace?.(message, meta);
    else to[LEVELS[level]](message, meta);
  });
}

const LEVELS = { DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
