import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { holdInterrupted, releaseAll } from '../../../client/records/interrupted';
import { type FolderStore } from '../../../store';
import { type Records } from '../../../store/records';
import { newStore } from '../../books/store-with-takes';
import { AT } from '../../support/ledger-fixtures';
import { recordsOf, withRecords } from '../../support/store-records';

/** The store, recording which keys are read and how many at once at most. */
function watched(store: FolderStore): {
  readonly store: FolderStore;
  readonly keys: string[];
  most(): number;
} {
  const keys: string[] = [];
  let [open, most] = [0, 0];
  const read: Records['read'] = async (key) => {
    keys.push(key);
    open += 1;
    most = Math.max(most, open);
    return recordsOf(store)
      .read(key)
      .finally(() => (open -= 1));
  };
  return { store: withRecords(store, { read }), keys, most: () => most };
}

describe('interrupted productions', () => {
  it('are found among hundreds with few records open at once; those of a batch without reading any others', async () => {
    const store = await newStore();
    const production = await store.putJson({});
    const ids = Array.from({ length: 400 }, (_, index) => `${index < 3 ? 'shop' : 'other'}.row-${index}`);
    const { productions } = store;
    for (const id of ids) await productions.begin(id, { renderId: 'r', production, account: 'sandbox', at: AT });

    const all = watched(store);
    expect(await all.store.productions.interrupted('sandbox')).toHaveLength(400);
    expect(all.most()).toBeLessThanOrEqual(100);

    const own = watched(store);
    expect(await own.store.productions.interrupted('sandbox', 'shop')).toHaveLength(3);
    expect(own.keys.filter((key) => !key.startsWith('productions/shop.'))).toEqual([]);
  });

  it('are held and released although the hold of one is damaged, which counts as a hold', async () => {
    const store = await newStore();
    const production = await store.putJson({});
    for (const id of ['broken', 'whole'])
      await store.productions.begin(id, { renderId: 'r', production, account: 'sandbox', at: AT });
    await store.holds.hold('broken', 'it was interrupted');
    await truncate(join(store.folder, 'productions/broken/hold.json'), 3);
    expect(await store.holds.inForce('broken')).toMatchObject({ by: 'interruption' });
    await holdInterrupted(store, 'sandbox');
    expect(await store.holds.inForce('whole')).toMatchObject({ by: 'interruption' });
    expect(await releaseAll(store, 'sandbox')).toEqual(['broken', 'whole']);
    for (const id of ['broken', 'whole']) expect(await store.holds.inForce(id)).toBeUndefined();
  });
});
