import { join } from 'node:path';
import { findTemporalCli, TEMPORAL_CLI_MISSING } from '../../../../dist/workers/temporal-cli';
import { startTemporalServer } from '../../../../dist/workers/temporal-server';
import { type Service, ServiceMissing } from './service';
import { versionOf } from './version';

/** The CLI prints its own version first: `temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)`. */
const SERVER_VERSION = /Server ([^,)]+)/;

/** Starts Temporal's dev server with a database file, as `dailies up` does. @throws ServiceMissing without a CLI. */
export async function startTemporal(folder: string): Promise<Service> {
  const cli = findTemporalCli(process.env);
  if (cli === undefined) throw new ServiceMissing(TEMPORAL_CLI_MISSING);
  const version = await versionOf(cli.path, SERVER_VERSION);
  const server = await startTemporalServer({
    cli: cli.path,
    databaseFile: join(folder, 'temporal.db'),
    logFile: join(folder, 'temporal.log'),
  });
  return {
    address: server.address,
    version,
    pids: () => Promise.resolve([server.pid]),
    stop: () => server.stop(),
  };
}
