import { UnreadableRecord } from './records';

/** Where a take that is to be written lies; as TakeAddress of the ledger. */
interface Place {
  readonly productionId: string;
  readonly shotId: string;
  readonly take: number;
}

/** A take's records are there without the intent: they may be of any wish. */
export class IntentMissing extends UnreadableRecord {}

/**
 * The take or task of a writer is not the one that the ledger has, as after a restore under running workflows.
 * Nothing was written.
 */
export class TakeMismatch extends Error {
  override readonly name = 'TakeMismatch';

  /** @param found what the ledger has there: another take's key, or what is wrong in words; undefined for nothing. */
  constructor({ productionId, shotId, take }: Place, found: string | undefined, why?: string) {
    const has = found === undefined ? 'has no such take' : 'has another take under its number';
    super(
      why ?? `take ${take} of "${shotId}" in "${productionId}" cannot be written: the ledger ${has}; was it restored?`,
    );
  }
}
