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
 * nothing new may be paid for. A production that is a row is also held by its batch if it has begun after the batch was
 * paused; rows that were under way continue.
 *
 * @throws ProductionHeld, LedgerUnavailable (both retried).
 */
export async function assertNotPaused(store: Store, productionId: string): Promise<void> {
  const held = await whileLedgerServes(() => holdOf(store, productionId));
  if (held === undefined) return;
  const { id, hold } = held;
  throw failure('ProductionHeld', `"${id}" is held since ${hold.since}: ${hold.reason}`, {
    nextRetryDelayMs: LOOK_AT_HOLD_EVERY_MS,
  });
}

async function holdOf(
  { holds, productions }: Store,
  productionId: string,
): Promise<{ readonly id: string; readonly hold: Hold } | undefined> {
  const own = await holds.inForce(productionId);
  if (own !== undefined) return { id: productionId, hold: own };
  // A damaged record does not stop the production: it may be no row of a batch.
  const begun = await productions.begun(productionId).catch((error: unknown) => {
    if (isDamaged(error)) return undefined;
    throw error;
  });
  if (begun?.batch === undefined) return undefined;
  const hold = await holds.inForce(begun.batch);
  const isHeld = hold !== undefined && Date.parse(begun.at) >= Date.parse(hold.since);
  return isHeld ? { id: begun.batch, hold } : undefined;
}
