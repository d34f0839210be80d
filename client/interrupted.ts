import { createBatches, createHolds, createRunsHold, fewAtOnce, type Store } from '../store';
import { createProductionRecords } from './production-records';

/**
 * Interrupted productions and batches: begun, and not ended as far as the store knows.
 *
 * A worker that comes up would go on with all of them, and that costs money. So they are held until a person names one.
 */

const REASON = 'it was interrupted';

/** The interrupted productions and batches of an account, by id. */
async function interrupted(store: Store, account: string): Promise<readonly string[]> {
  const productions = await createProductionRecords(store).interrupted(account);
  return [...productions, ...(await createBatches(store.records).interrupted(account))];
}

/**
 * Holds every interrupted production of the account, and the runs that its schedules want begun. For the worker that comes
 * up where no other one serves.
 */
export async function holdInterrupted(store: Store, account: string): Promise<void> {
  await createRunsHold(store.records, account).hold();
  const holds = createHolds(store.records);
  const ids = await interrupted(store, account);
  await fewAtOnce(ids, (id) => holds.hold(id, REASON));
}

/** The interrupted productions of the account for which nothing new is bought now, without those that are paused. */
export async function heldProductions(store: Store, account: string): Promise<readonly string[]> {
  const holds = createHolds(store.records);
  const ids = await interrupted(store, account);
  const isHeld = await fewAtOnce(ids, async (id) => (await holds.held(id))?.by === 'interruption');
  return ids.filter((_id, index) => isHeld[index]);
}

/**
 * Lets every interrupted production of this account go on, and returns them; what is due by a schedule begins. What a
 * person paused stays paused.
 */
export async function releaseAll(store: Store, account: string): Promise<readonly string[]> {
  await createRunsHold(store.records, account).release();
  const ids = await heldProductions(store, account);
  const holds = createHolds(store.records);
  await fewAtOnce(ids, (id) => holds.release(id));
  return ids;
}
