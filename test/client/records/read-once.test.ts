import { readOnce } from '../../../client/records/read-once';
import { takesOf } from '../../../client/records/takes';
import { openStore } from '../../../store';
import { countingReads } from '../../support/batch-records';
import { ADDRESS, intent } from '../../support/ledger-fixtures';
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
});
