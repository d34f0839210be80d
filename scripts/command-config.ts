import { type FileValuePolicy } from '../contracts/file-values';
import * as config from '../workers/config';
import { surroundings } from './surroundings';

/**
 * The configuration of the running command.
 *
 * @param file the production file or batch file that it works on: the search for the store starts there.
 * @throws ConfigError
 */
export function readConfig(file?: string): config.Config {
  const { env, cwd } = surroundings();
  return config.readConfig(env, cwd, file);
}

/** How the running command sends given files. @throws ConfigError */
export function readFileValuePolicy(): FileValuePolicy {
  return config.readFileValuePolicy(surroundings().env);
}
