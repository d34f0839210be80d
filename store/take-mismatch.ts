import { UnreadableRecord } from './records';

/** The address of a take that is to be written; as TakeAddress of the ledger. */
interface Place {
  readonly productionId: string;
  readonly shotId: string;
  readonly take: number;
}

/** A take's records exist without the intent. They may belong to any ask. */
export class IntentMissing extends UnreadableRecord {}

/**
 * The writer's take or task is not the one in the ledger, for example after a restore under running workflows. Nothing
 * was written.
 */
export class TakeMismatch extends Error {
  override readonly name = 'TakeMismatch';

  /**
   * @param found the key of the take that the ledger has; undefined if it has none. @param why replaces the message.
   */
  constructor({ productionId, shotId, take }: Place, found: string | undefined, why?: string) {
    const has = found === undefined ? 'has no such take' : 'has another take under its number';
    super(
      why ?? `take ${take} of "${shotId}" in "${productionId}" cannot be written: the ledger ${has}; was it restored?`,
    );
  }
}
