/**
 * The embedded set (the worker and servers that commands start and share) did not start, or gave up. The message gives
 * the cause or the logs' path.
 */
export class EmbeddedSetFailed extends Error {
  override readonly name = 'EmbeddedSetFailed';
}

/** The store's embedded set runs for another gateway, account or Temporal server than the command is configured for. */
export class EmbeddedSetMismatch extends Error {
  override readonly name = 'EmbeddedSetMismatch';
}

/** No embedded set runs, and the caller asked not to start one (`startsNone`). */
export class EmbeddedSetEnded extends EmbeddedSetFailed {
  constructor() {
    super('The embedded set has stopped.');
  }
}
