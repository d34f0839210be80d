import { connectDailies, type Dailies } from '../client/programs';
import { refuseCopy } from '../store/backup/copies';
import { attachSet } from './attach-set';
import { environment, readConfig } from './config/config';
import { type EnvironmentVariables } from './config/environment';
import { refuseUnnamedNewLedger } from './store/new-ledger';
import { checkOwnStore, openOwnStore } from './store/own-store';

/**
 * Opens Dailies for a program as the command does: from the environment. If the environment names no Temporal server,
 * Dailies uses the embedded set (a Temporal server and a worker). The set stops when the last command or program has
 * left it.
 *
 * @param env default: the process's environment.
 * @param onNotice receives lines for a person, for example that no worker is running. Default: lines about the embedded
 *   set are dropped, and `process.emitWarning` says that no worker is running.
 * @throws ConfigError; StoreError; TemporalUnreachable; the errors of `attachSet`.
 */
export async function openDailies(env?: EnvironmentVariables, onNotice?: (line: string) => void): Promise<Dailies> {
  const config = readConfig(env);
  await checkOwnStore(config);
  await refuseUnnamedNewLedger(config);
  await refuseCopy(config.storeFolder);
  await openOwnStore(config);
  const variables = environment(env);
  if (config.temporalAddress !== undefined) return connectDailies({ ...config, env: variables, onNotice });
  const set = await attachSet(config, variables, onNotice ?? (() => undefined));
  try {
    // A set always has a worker, even if the worker is restarting now.
    const served = { address: set.temporalAddress, hasWorker: () => Promise.resolve(true) };
    return await connectDailies({ ...config, ...served, onNotice }, () => set.leave());
  } catch (error) {
    await set.leave();
    throw error;
  }
}
