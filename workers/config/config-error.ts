/** The environment is no valid configuration. The message names each variable and what it must be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
