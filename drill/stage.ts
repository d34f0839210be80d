import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectTemporal, createDailiesClient, type DailiesClient, type TemporalConnection } from '../client';
import { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox';
import { openStore, type FolderStore } from '../store';
import { findTemporalCli, TEMPORAL_CLI_MISSING } from '../workers/temporal-cli';
import { startTemporalServer, type TemporalServer } from '../workers/temporal-server';
import { startWorkerProcess, type WorkerProcess, type WorkerSettings } from './worker-process';

/** Equal to `SANDBOX_ACCOUNT`, the account of a sandbox outside drills. */
export const DRILL_ACCOUNT = 'sandbox';
export const DRILL_KEY = 'drill';

/** A gateway on the same machine can be polled often. */
const POLL_FLOOR_MS = 250;

/** A drill's environment, without workers: Temporal with a database file, the sandbox gateway, a store and a client. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly store: FolderStore;
  readonly client: DailiesClient;
  readonly temporal: TemporalConnection;
  readonly temporalAddress: string;
  /** Starts a worker that can be killed or stopped at a fail point. The caller ends the worker. */
  startWorker(settings?: Partial<WorkerSettings>): Promise<WorkerProcess>;
  /** The current server's process id. */
  temporalPid(): Promise<number>;
  /** Kills the Temporal server and restarts it after `downMs` with the same address and database. */
  killTemporal(downMs?: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param folder for all files, including logs.
 * @throws Error if the Temporal CLI is missing; the error of the first part that does not start. The other parts are
 *   ended.
 */
export async function setStage(folder: string, options: Partial<SandboxOptions> = {}): Promise<Stage> {
  const cli = findTemporalCli(process.env);
  if (cli === undefined) throw new Error(TEMPORAL_CLI_MISSING);
  const settings = { cli: cli.path, databaseFile: join(folder, 'temporal.db'), logFile: join(folder, 'temporal.log') };
  const { first, sandbox, store, temporal } = await startParts(folder, settings, options);
  let server: Promise<TemporalServer> = Promise.resolve(first);

  async function restart(before: TemporalServer, downMs: number): Promise<TemporalServer> {
    process.kill(before.pid, 'SIGKILL');
    await before.stop();
    await sleep(downMs);
    return startTemporalServer({ ...settings, port: Number(new URL(`tcp://${before.address}`).port) });
  }

  return {
    sandbox,
    store,
    temporal,
    temporalAddress: first.address,
    client: createDailiesClient({ temporal: temporal.client, store, account: DRILL_ACCOUNT }),
    startWorker: (overrides = {}) =>
      startWorkerProcess({
        temporalAddress: first.address,
        gatewayUrl: sandbox.url,
        gatewayKey: DRILL_KEY,
        account: DRILL_ACCOUNT,
        storeFolder: store.folder,
        pollFloorMs: POLL_FLOOR_MS,
        ...overrides,
      }),
    temporalPid: async () => (await server).pid,
    async killTemporal(downMs = 0) {
      server = server.then((before) => restart(before, downMs));
      await server;
    },
    async close() {
      // A later part is closed even if an earlier one fails. `server` rejects if it could not be restarted.
      try {
        await temporal.close();
      } finally {
        await server.then((running) => running.stop()).finally(() => sandbox.close());
      }
    },
  };
}

interface Parts {
  readonly first: TemporalServer;
  readonly sandbox: Sandbox;
  readonly store: FolderStore;
  readonly temporal: TemporalConnection;
}

/** Starts all parts. If a part fails, ends the parts that started. */
async function startParts(
  folder: string,
  settings: Parameters<typeof startTemporalServer>[0],
  options: Partial<SandboxOptions>,
): Promise<Parts> {
  const serving = startTemporalServer(settings);
  const answering = startSandbox({ folder: join(folder, 'sandbox'), apiKey: DRILL_KEY, ...options });
  try {
    const [first, sandbox, store] = await Promise.all([serving, answering, openStore(join(folder, 'store'))]);
    return { first, sandbox, store, temporal: await connectTemporal({ address: first.address }) };
  } catch (error) {
    // Wait for parts that are still starting, because no other code would end these parts.
    await Promise.allSettled([serving.then((server) => server.stop()), answering.then((sandbox) => sandbox.close())]);
    throw error;
  }
}
