import { type Store } from '../../store';
import { failure } from '../fail';
import { whileLedgerServes } from '../translate-error';

/**
 * Delay before the next attempt. It is short, since a person who has just released a production waits for it to
 * continue.
 */
const LOOK_AT_HOLD_EVERY_MS = 2_000;

/**
 * Throws if the production or batch is paused by a person, or was interrupted and nobody has continued it since. Then
 * nothing new may be paid for.
 *
 * @throws ProductionHeld, LedgerUnavailable (both retried).
 */
export async function assertNotPaused(store: Store, productionId: string): Promise<void> {
  const hold = await whileLedgerServes(() => store.holds.inForce(productionId));
  if (hold === undefined) return;
  throw failure('ProductionHeld', `"${productionId}" is held since ${hold.since}: ${hold.reason}`, {
    nextRetryDelayMs: LOOK_AT_HOLD_EVERY_MS,
  });
}
