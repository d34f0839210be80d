import { UnreadableRecord } from '../records';
import { type TakeAddress } from './take-address';

/** A take has records but no intent, so it is unknown which request they belong to. */
export class IntentMissing extends UnreadableRecord {}

/**
 * A writer and the ledger disagree about a take or its task, for example after a restore while workflows ran. The write
 * was not made. If the writer's task is not the take's accepted task, it may be recorded as a second one
 * (`also-accepted`).
 */
export class TakeMismatch extends Error {
  override readonly name = 'TakeMismatch';

  /**
   * @param found the key of the ledger's take at the address; undefined if the ledger has no take there.
   * @param why replaces the default message.
   */
  constructor({ productionId, shotId, take }: TakeAddress, found: string | undefined, why?: string) {
    const has = found === undefined ? 'has no such take' : 'has another take under its number';
    super(
      why ?? `take ${take} of "${shotId}" in "${productionId}" cannot be written: the ledger ${has}; was it restored?`,
    );
  }
}
