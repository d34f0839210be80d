import { type FileValuePolicy } from '../contracts/file-values';
import * as config from '../workers/config';
import { surroundings } from './surroundings';

/**
 * The configuration of the command that runs.
 *
 * @param file the production file or the batch's file that it works on: the store above it comes first.
 * @throws ConfigError
 */
export function readConfig(file?: string): config.Config {
  const { env, cwd } = surroundings();
  return config.readConfig(env, cwd, file);
}

/** How given files are sent, for the command that runs. @throws ConfigError */
export function readFileValuePolicy(): FileValuePolicy {
  return config.readFileValuePolicy(surroundings().env);
}
