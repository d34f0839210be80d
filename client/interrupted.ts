import { createHolds, type Hold, type Store } from '../store';
import { createProductionRecords } from './production-records';

/**
 * Interrupted productions: begun, and not ended as far as the store knows.
 *
 * A worker that comes up would go on with all of them, and that costs money. So they are held until a person names one.
 */

const REASON = 'it was interrupted';

/** Holds every interrupted production of the account. For the worker that comes up where no other one serves. */
export async function holdInterrupted(store: Store, account: string): Promise<void> {
  const holds = createHolds(store.records);
  const ids = await createProductionRecords(store).interrupted(account);
  await Promise.all(ids.map((id) => holds.hold(id, REASON)));
}

/** The interrupted productions of the account for which nothing new is bought now. */
export async function heldProductions(store: Store, account: string): Promise<readonly string[]> {
  const holds = createHolds(store.records);
  const ids = await createProductionRecords(store).interrupted(account);
  const isHeld = await Promise.all(ids.map(async (id) => (await holds.held(id)) !== undefined));
  return ids.filter((_id, index) => isHeld[index]);
}

/** Lets every production go on that is held, and returns those of this account. */
export async function releaseAll(store: Store, account: string): Promise<readonly string[]> {
  const ids = await heldProductions(store, account);
  const holds = createHolds(store.records);
  await Promise.all(ids.map((id) => holds.release(id)));
  return ids;
}

/** What stands beside the state of a production that is held. */
export function heldInWords({ reason }: Hold): string {
  return `held, since ${reason}: nothing new is bought; \`dailies render FILE\` or \`dailies up\` goes on with it`;
}
