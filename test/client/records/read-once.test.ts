import { readOnce } from '../../../client/records/read-once';
import { readFrozen } from '../../../client/records/read-frozen';
import { takesOf } from '../../../client/records/takes';
import { openStore } from '../../../store';
import { countingReads } from '../../support/batch-records';
import { ADDRESS, intent } from '../../support/ledger-fixtures';
import { betaShot, film } from '../../support/rig';
import { temporaryFolder } from '../../support/temporary-folder';

describe('one look at the store', () => {
  it('reads a take once, and the next look reads it again', async () => {
    const { store, reads } = countingReads(await openStore(await temporaryFolder()));
    await store.ledger.intend(ADDRESS, intent());
    const look = readOnce(store);
    const { account } = intent();
    const first = await takesOf(look, account, ADDRESS.productionId);
    expect([...first.keys()]).toEqual([ADDRESS.shotId]);
    const { records } = reads();
    expect(await takesOf(look, account, ADDRESS.productionId)).toEqual(first);
    expect(reads().records).toBe(records);
    await takesOf(readOnce(store), account, ADDRESS.productionId);
    expect(reads().records).toBe(2 * records);
  });

  it('tells apart the takes of a shot, the shots of a production, and productions', async () => {
    const store = await openStore(await temporaryFolder());
    const more = [{ shotId: 'dusk' }, { shotId: 'dusk', take: 2 }, { productionId: 'other', take: 2 }];
    for (const changes of [{}, ...more]) await store.ledger.intend({ ...ADDRESS, ...changes }, intent());
    const { account } = intent();
    const look = readOnce(store);
    const numbers = async (productionId: string) =>
      [...(await takesOf(look, account, productionId))].map(([shot, takes]) => [shot, takes.map(({ take }) => take)]);
    const own = [
      ['dawn', [1]],
      ['dusk', [1, 2]],
    ];
    expect(await numbers(ADDRESS.productionId)).toEqual(own);
    expect(await numbers('other')).toEqual([['dawn', [2]]]);
  });

  it('reads and parses each frozen production once', async () => {
    const { store, reads } = countingReads(await openStore(await temporaryFolder()));
    const [one, other] = [
      await store.putJson(film('one', [betaShot('a')])),
      await store.putJson(film('other', [betaShot('a')])),
    ];
    const { assets } = readOnce(store);
    const before = reads().assets;
    for (const ref of [one, other, one, other]) await readFrozen(assets, ref);
    expect(reads().assets - before).toBe(2);
    expect(await readFrozen(assets, other)).toMatchObject({ id: 'other' });
  });
});
