import { type FileValuePolicy } from '../../contracts/file/file-values';
import * as config from '../../workers/config/config';
import { surroundings } from './surroundings';

/**
 * The configuration of the running command.
 *
 * @param file the command's production or batch file. The search for the store starts in its folder; without a file, in
 *   the working directory.
 * @throws ConfigError
 */
export function readConfig(file?: string): config.Config {
  const { env, cwd } = surroundings();
  return config.readConfig(env, cwd, file);
}

/** How the running command sends files to the gateway. @throws ConfigError */
export function readFileValuePolicy(): FileValuePolicy {
  return config.readFileValuePolicy(surroundings().env);
}
