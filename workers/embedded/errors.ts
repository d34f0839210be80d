/** The set did not start, or gave up. The message gives the cause or the place of the logs. */
export class EmbeddedSetFailed extends Error {
  override readonly name = 'EmbeddedSetFailed';
}

/** A set runs in this store for another gateway, account or Temporal server than the command wants. */
export class EmbeddedSetMismatch extends Error {
  override readonly name = 'EmbeddedSetMismatch';
}
