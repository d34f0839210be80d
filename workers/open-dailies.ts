import { connectDailies, type Dailies } from '../client/programs';
import { attachSet } from './attach-set';
import { environment, type EnvironmentVariables, readConfig } from './config';

/**
 * Opens Dailies for a program as the command does it: by the environment, and where that names no Temporal server, with
 * the embedded set, which stops when the last one that uses it has closed.
 *
 * @param env in place of the process's own environment.
 * @param onNotice told what a person should know, as that a set is being stopped. Default: nobody is told.
 * @throws ConfigError, StoreError, TemporalUnreachable, and what keeps the embedded set from coming up.
 */
export async function openDailies(
  env?: EnvironmentVariables,
  onNotice: (line: string) => void = () => undefined,
): Promise<Dailies> {
  const config = readConfig(env);
  const variables = environment(env);
  if (config.temporalAddress !== undefined) return connectDailies({ ...config, env: variables });
  const set = await attachSet(config, variables, onNotice);
  try {
    return await connectDailies({ ...config, address: set.temporalAddress }, () => set.leave());
  } catch (error) {
    await set.leave();
    throw error;
  }
}
