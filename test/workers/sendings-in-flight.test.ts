import { openStore } from '../../store';
import { watchSendings } from '../../workers/sendings-in-flight';
import { ADDRESS, AT, intent, sent } from '../support/ledger-fixtures';
import { temporaryFolder } from '../support/temporary-folder';

describe('the sendings that a worker waits for at its end', () => {
  it('are those that it has started itself, until their answer is recorded', async () => {
    const { store, inFlight } = watchSendings(await openStore(await temporaryFolder()));
    const { ledger } = store;
    await ledger.intend(ADDRESS, intent());
    expect(await ledger.beginSending(ADDRESS, 1, sent())).toBe(true);
    expect(await ledger.beginSending(ADDRESS, 1, sent())).toBe(false);
    expect(inFlight()).toMatchObject([{ take: ADDRESS }]);
    await ledger.endSending(ADDRESS, 1, { kind: 'answered', record: { taskId: 'task-1', ended: null, at: AT } });
    expect(inFlight()).toEqual([]);
  });
});
