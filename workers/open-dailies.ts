import { connectDailies, type Dailies } from '../client/programs';
import { refuseCopy } from '../store/copies';
import { attachSet } from './attach-set';
import { environment, readConfig } from './config';
import { type EnvironmentVariables } from './environment';
import { refuseUnnamedNewLedger } from './new-ledger';
import { checkOwnStore, openOwnStore } from './own-store';

/**
 * Opens Dailies for a program as the command does it: by the environment, and where that names no Temporal server, with
 * the embedded set, which stops when the last one that uses it has closed.
 *
 * @param env in place of the process's own environment.
 * @param onNotice told what a person should know, as that a set is being stopped, or that no worker serves. Default:
 * nobody is told of a set; that no worker serves is a warning of the process.
 * @throws ConfigError, StoreError, TemporalUnreachable, and what keeps the embedded set from coming up.
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
    // A set has a worker, which may still be coming up.
    const served = { address: set.temporalAddress, hasWorker: () => Promise.resolve(true) };
    return await connectDailies({ ...config, ...served, onNotice }, () => set.leave());
  } catch (error) {
    await set.leave();
    throw error;
  }
}
