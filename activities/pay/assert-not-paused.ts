import { type Hold, isDamaged, type Store } from '../../store';
import { failure } from '../fail';
import { whileLedgerServes } from '../translate-error';

/**
 * Delay before the next attempt. It is short, since a person who has just released a production waits for it to
 * continue.
 */
const LOOK_AT_HOLD_EVERY_MS = 2_000;

/**
 * Throws if the production or batch is paused by a person, or was interrupted and nobody has continued it since. Then
 * nothing new may be paid for. A production that is a row is also held by its batch, until the batch ends, if it has
 * begun after the batch was paused or interrupted; rows that were under way continue. If the record of the batch's hold
 * is damaged, it holds all rows.
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
  // A damaged record does not stop the production: it may be no row of a batch.
  const begun = await unlessDamaged(store.productions.begun(productionId));
  if (begun?.batch === undefined) return undefined;
  const hold = await holdInForce(store, begun.batch);
  const isHeld = hold !== undefined && Date.parse(begun.at) >= Date.parse(hold.since);
  return isHeld ? { id: begun.batch, hold } : undefined;
}

/** The hold of a batch that has ended is stale: nobody can end it, and a row may still wait for a person. */
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
