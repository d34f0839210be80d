import { type Hold, isDamaged, type Store } from '../../store';
import { failure } from '../fail';
import { whileLedgerServes } from '../translate-error';

/**
 * Delay before the next attempt. It is short, since a person who has just released a production waits for it to
 * continue.
 */
const LOOK_AT_HOLD_EVERY_MS = 2_000;

/**
 * Throws if nothing new may be paid for: a person has paused the production or batch, or it was interrupted and nobody
 * has continued it since.
 *
 * A batch's hold applies to all rows that are single tasks, since they have the batch's id. It also applies to
 * productions of the batch that began during the hold; those that began earlier continue. If the record of the hold is
 * damaged, the hold applies to all rows. The hold of a batch that has ended applies to none.
 *
 * @throws ProductionHeld, BatchHeld, LedgerUnavailable (all retried).
 */
export async function assertNotPaused(store: Store, productionId: string): Promise<void> {
  const held = await whileLedgerServes(() => holdOf(store, productionId));
  if (held === undefined) return;
  const { id, hold } = held;
  const isOwn = id === productionId;
  const whose = isOwn ? `"${id}"` : `the batch "${id}" of this row`;
  const howToEnd = isOwn || hold.by === 'interruption' ? '' : `; \`dailies resume ${id}\` lets it go on`;
  throw failure(
    isOwn ? 'ProductionHeld' : 'BatchHeld',
    `${whose} is held since ${hold.since}: ${hold.reason}${howToEnd}`,
    { nextRetryDelayMs: LOOK_AT_HOLD_EVERY_MS },
  );
}

async function holdOf(
  store: Store,
  productionId: string,
): Promise<{ readonly id: string; readonly hold: Hold } | undefined> {
  const own = await holdInForce(store, productionId);
  if (own !== undefined) return { id: productionId, hold: own };
  // If this record is damaged, do not stop the production: perhaps it is not a row of a batch.
  const begun = await unlessDamaged(store.productions.begun(productionId));
  if (begun?.batch === undefined) return undefined;
  const hold = await holdInForce(store, begun.batch);
  const isHeld = hold !== undefined && Date.parse(begun.at) >= Date.parse(hold.since);
  return isHeld ? { id: begun.batch, hold } : undefined;
}

/**
 * The hold of a production or batch. Undefined if there is none, or if the batch has ended: `dailies resume` refuses
 * such a batch, so its hold could stop a row for ever.
 */
async function holdInForce({ holds, batches }: Store, id: string): Promise<Hold | undefined> {
  const hold = await holds.inForce(id);
  if (hold === undefined) return undefined;
  const batch = await unlessDamaged(batches.begun(id));
  const hasEnded = batch !== undefined && (await unlessDamaged(batches.ended(id, batch.run))) !== undefined;
  return hasEnded ? undefined : hold;
}

async function unlessDamaged<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isDamaged(error)) return undefined;
    throw error;
  }
}
