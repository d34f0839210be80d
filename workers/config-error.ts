/** The environment does not make a configuration; the message names each variable and what it must be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
