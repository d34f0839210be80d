import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { rebuildLedger } from '../../client/books/rebuild-ledger';
import { betaShot, film, linkedShot } from '../support/rig';
import { audited, loseShot, rig, whilePlanted } from './audited-film';
import { address } from './store-with-takes';

const rebuild = (account = 'sandbox') =>
  rebuildLedger({ store: rig.store, account, production: 'film', temporal: rig.temporal.client });

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

  it('show a task that the ledger has lost, and how to adopt it if the ledger knows that something was sent', async () => {
    const taskId = (await rig.store.ledger.take(address('one')))!.settled!.taskId;
    expect(await whilePlanted(loseShot)).toEqual([
      { kind: 'task-not-in-ledger', shot: 'one', command: 'dailies ledger film --rebuild' },
    ]);
    expect(await whilePlanted(loseAcceptance)).toEqual([
      { kind: 'task-not-in-ledger', shot: 'one', command: `dailies resolve film one --adopt ${taskId}` },
    ]);
    // A take without a record of its sending would be sent again, not parked.
    const loseSending = async (ledger: string): Promise<void> => {
      await loseAcceptance(ledger);
      await rm(join(ledger, 'one/1/sent-1.json'));
    };
    expect(await whilePlanted(loseSending)).toMatchObject([
      { kind: 'task-not-in-ledger', shot: 'one', command: 'dailies ledger film --rebuild' },
    ]);
  });

  it('restore what the ledger has lost, so that a render pays for nothing', async () => {
    const before = (await rig.store.ledger.take(address('one')))!;
    const paidFor = rig.sandbox.tasks().length;
    const found = await whilePlanted(async (ledger) => {
      await loseShot(ledger);
      expect(await rebuild()).toEqual([{ shot: 'one', take: 1, task: before.settled!.taskId, left: null }]);
      expect(await rebuild()).toEqual([]);
      await rig.render(film('film', [betaShot('one'), linkedShot('two', 'one')]));
      const { intent, settled, output } = (await rig.store.ledger.take(address('one')))!;
      const { takeKey, askKey, parameters } = before.intent;
      expect(intent).toMatchObject({ takeKey, askKey, parameters: { prompt: parameters['prompt'] } });
      expect({ credits: settled?.credits, sha256: output?.asset.sha256 }).toEqual({
        credits: before.settled!.credits,
        sha256: before.output!.asset.sha256,
      });
    });
    expect(found).toEqual([]);
    expect(rig.sandbox.tasks()).toHaveLength(paidFor);
  });

  it('restore nothing for another account', async () => {
    await whilePlanted(async (ledger) => {
      await loseShot(ledger);
      expect(await rebuild('another')).toMatchObject([{ shot: 'one', left: expect.stringContaining('another') }]);
      expect(await rig.store.ledger.take(address('one'))).toBeUndefined();
    });
  });
});
