/** The environment is not a valid configuration. The message names the variables or flags to set or change. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
