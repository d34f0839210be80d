import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { address } from './store-with-takes';
import { rig, audited, whilePlanted, loseShot, changeCharge, addTake } from './audited-film';

describe('histories in the books', () => {
  const loseAcceptance = async (ledger: string): Promise<void> => {
    for (const record of ['answered-1', 'accepted-1', 'settled', 'output'])
      await rm(join(ledger, `one/1/${record}.json`));
  };

  it('agree with ledger, store and gateway after a render', async () => {
    const { differences, notChecked, checked } = await audited();
    expect({ differences, notChecked }).toEqual({ differences: [], notChecked: [] });
    expect(checked).toMatchObject({ takes: 2, histories: 3, gatewayTasks: 2 });
  });

  it('show a task that the ledger has lost, and how it is adopted where the ledger knows that something was sent', async () => {
    const taskId = (await rig.store.ledger.take(address('one')))!.settled!.taskId;
    expect(await whilePlanted(loseShot)).toEqual([
      { kind: 'task-not-in-ledger', shot: 'one', command: 'dailies ledger --restore BACKUP' },
    ]);
    expect(await whilePlanted(loseAcceptance)).toEqual([
      { kind: 'task-not-in-ledger', shot: 'one', command: `dailies resolve film one --adopt ${taskId}` },
    ]);
  });

  it('show a charge that the ledger does not have; the gateway shows it too', async () => {
    expect(await whilePlanted(changeCharge)).toEqual([
      { kind: 'charge-differs', shot: 'one', command: null },
      { kind: 'charge-differs', shot: 'one', command: null },
    ]);
  });

  it('miss a take that only the ledger has', async () => {
    expect(await whilePlanted(addTake)).toContainEqual({ kind: 'take-without-history', shot: 'three', command: null });
  });
});
