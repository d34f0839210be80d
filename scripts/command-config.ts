import { type FileValuePolicy } from '../contracts/file-values';
import * as config from '../workers/config';
import { surroundings } from './surroundings';

/** The configuration of the command that runs. @throws ConfigError */
export function readConfig(): config.Config {
  const { env, cwd } = surroundings();
  return config.readConfig(env, cwd);
}

/** How given files are sent, for the command that runs. @throws ConfigError */
export function readFileValuePolicy(): FileValuePolicy {
  return config.readFileValuePolicy(surroundings().env);
}
