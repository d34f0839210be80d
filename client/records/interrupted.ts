import { createBatches, createHolds, createRunsHold, fewAtOnce, type Store } from '../../store';
import { createProductionRecords } from './production-records';

/**
 * Interrupted productions and batches: begun, and not ended by the store.
 *
 * A new worker would continue all of them, which costs money. So they are held until a person names one.
 */

const REASON = 'it was interrupted';

async function interrupted(store: Store, account: string): Promise<readonly string[]> {
  const productions = await createProductionRecords(store).interrupted(account);
  return [...productions, ...(await createBatches(store.records).interrupted(account))];
}

/**
 * Holds every interrupted production and batch of the account, and its schedules' runs. For a worker that starts while
 * no other serves the account.
 */
export async function holdInterrupted(store: Store, account: string): Promise<void> {
  await createRunsHold(store.records, account).hold();
  const holds = createHolds(store.records);
  const ids = await interrupted(store, account);
  await fewAtOnce(ids, (id) => holds.hold(id, REASON));
}

/** The interrupted productions and batches of the account that are held, without those that a person paused. */
export async function heldProductions(store: Store, account: string): Promise<readonly string[]> {
  const holds = createHolds(store.records);
  const ids = await interrupted(store, account);
  const isHeld = await fewAtOnce(ids, async (id) => (await holds.held(id))?.by === 'interruption');
  return ids.filter((_id, index) => isHeld[index]);
}

/**
 * Releases every interrupted production and batch of this account and returns their ids. Due runs of schedules begin.
 * What a person paused stays paused.
 */
export async function releaseAll(store: Store, account: string): Promise<readonly string[]> {
  await createRunsHold(store.records, account).release();
  const ids = await heldProductions(store, account);
  const holds = createHolds(store.records);
  await fewAtOnce(ids, (id) => holds.release(id));
  return ids;
}
