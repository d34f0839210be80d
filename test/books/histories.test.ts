import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { rebuildLedger } from '../../client/books/rebuild-ledger';
import { betaShot, film, linkedShot } from '../support/rig';
import { address } from './store-with-takes';
import { rig, audited, whilePlanted, loseShot, changeCharge, addTake } from './audited-film';

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

  it('show a task that the ledger has lost, and how it is adopted where the ledger knows that something was sent', async () => {
    const taskId = (await rig.store.ledger.take(address('one')))!.settled!.taskId;
    expect(await whilePlanted(loseShot)).toEqual([
      { kind: 'task-not-in-ledger', shot: 'one', command: 'dailies ledger --restore BACKUP' },
    ]);
    expect(await whilePlanted(loseAcceptance)).toEqual([
      { kind: 'task-not-in-ledger', shot: 'one', command: `dailies resolve film one --adopt ${taskId}` },
    ]);
  });

  it('give back what the ledger has lost: a render pays for nothing', async () => {
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

  it('give back the intent that a folder lacks; the audit says what to type', async () => {
    const loseIntent = async (ledger: string): Promise<void> => {
      for (const record of ['intent', 'sent-1', 'answered-1', 'accepted-1'])
        await rm(join(ledger, `one/1/${record}.json`));
    };
    expect(await whilePlanted(loseIntent)).toContainEqual({
      kind: 'records-broken',
      shot: 'one',
      command: 'dailies ledger film --rebuild',
    });
    const mended = async (ledger: string): Promise<void> => {
      await loseIntent(ledger);
      await rebuild();
    };
    expect(await whilePlanted(mended)).toEqual([]);
  });

  it('give back how a task ended and what it left, also of a take that no render asks for any more', async () => {
    const before = (await rig.store.ledger.take(address('one')))!;
    const loseEnd = async (ledger: string): Promise<void> => {
      for (const record of ['settled', 'output']) await rm(join(ledger, `one/1/${record}.json`));
    };
    expect((await whilePlanted(loseEnd)).toSorted((a, b) => a.kind.localeCompare(b.kind))).toEqual([
      { kind: 'end-not-in-ledger', shot: 'one', command: 'dailies ledger film --rebuild' },
      { kind: 'not-collected', shot: 'one', command: 'dailies ledger film --rebuild' },
    ]);
    const mended = async (ledger: string): Promise<void> => {
      await loseEnd(ledger);
      expect(await rebuild('another')).toEqual([]);
      expect(await rebuild()).toEqual([{ shot: 'one', take: 1, task: before.settled!.taskId, left: null }]);
      expect(await rebuild()).toEqual([]);
      const { settled, output } = (await rig.store.ledger.take(address('one')))!;
      expect(settled).toMatchObject({ state: 'completed', credits: before.settled!.credits });
      expect(output).toEqual({ ...before.output, at: expect.any(String) });
    };
    expect(await whilePlanted(mended)).toEqual([]);
  });

  it('give nothing to another account', async () => {
    await whilePlanted(async (ledger) => {
      await loseShot(ledger);
      expect(await rebuild('another')).toMatchObject([{ shot: 'one', left: expect.stringContaining('another') }]);
      expect(await rig.store.ledger.take(address('one'))).toBeUndefined();
    });
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
