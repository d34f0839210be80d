/** The configuration is invalid, or does not fit the store. The message names what to set or change. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
