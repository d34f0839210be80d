import { fewAtOnce, ifReadable, type Store } from '../../store';

/**
 * Interrupted productions and batches: the store has a record of the start of their last run, and none of its end, or
 * these records are unreadable.
 *
 * A new worker would continue all of them, which costs money. So they are held until a person continues them.
 */

const REASON = 'it was interrupted';

async function interruptedIds(store: Store, account: string): Promise<readonly string[]> {
  const productions = await store.productions.interrupted(account);
  return [...productions, ...(await store.batches.interrupted(account))];
}

/**
 * Holds every interrupted production and batch of the account, and the runs of its schedules. Called by the first
 * worker of an embedded set, unless another worker serves the account and store.
 */
export async function holdInterrupted(store: Store, account: string): Promise<void> {
  await store.account(account).runsHold.hold();
  const { holds } = store;
  const ids = await interruptedIds(store, account);
  await fewAtOnce(ids, (id) => holds.hold(id, REASON));
}

/** Ids of the productions and batches that are held because they were interrupted, not because of a pause. */
export async function heldIds(store: Store, account: string): Promise<readonly string[]> {
  const { holds } = store;
  const ids = await interruptedIds(store, account);
  const isHeld = await fewAtOnce(ids, async (id) => (await holds.inForce(id))?.by === 'interruption');
  return ids.filter((_id, index) => isHeld[index]);
}

/**
 * Releases the productions and batches that are held because they were interrupted, and returns their ids. Due runs of
 * schedules begin. Paused productions and batches stay paused.
 */
export async function releaseAll(store: Store, account: string): Promise<readonly string[]> {
  await store.account(account).runsHold.release();
  const ids = await heldIds(store, account);
  const { holds } = store;
  await fewAtOnce(ids, (id) => holds.release(id));
  return ids;
}

/** Releases the holds of an interrupted batch and of the productions among its rows. */
export async function releaseBatch(store: Store, account: string, batchId: string): Promise<void> {
  const { holds, productions } = store;
  await holds.release(batchId);
  for (const id of await productions.interrupted(account, batchId)) {
    const begun = await ifReadable(() => productions.begun(id));
    if (begun?.value?.batch === batchId) await holds.release(id);
  }
}
