import { mkdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProductionSpending } from '../../../contracts/money/budget';
import { brokenTakes, spendingOf } from '../../../store';
import { ownTaskId } from '../../../store/ledger/own-task-id';
import { address, book, newStore } from '../../books/store-with-takes';
import { type ActivityBench, oneShotFilm, startBench } from '../../support/activity-bench';
import { ADDRESS, AT, intent, sent, settled } from '../../support/ledger-fixtures';
import { acceptAll, type ScriptedGateway, startScriptedGateway } from '../../support/scripted-gateway';

const OWN = { account: 'account' };

describe('the spending of a production', () => {
  it('counts a charge below 0, which an older version has recorded, as unknown', async () => {
    const store = await newStore();
    await book(store, address('dawn'), 'accepted', OWN);
    await store.ledger.settle(address('dawn'), settled('completed', 'task-dawn', -40));
    const quotes = store.account('account').quotes({});
    const takes = new Map([['dawn', await store.ledger.takes('film', 'dawn')]]);
    expect((await spendingOf(takes, quotes))['dawn']).toMatchObject({
      charged: 0,
      chargedTakes: [],
      open: [{ sending: 1, standing: 'ended' }],
    });
  });

  it('keeps nothing open for an id that Dailies made for the charged task', async () => {
    const store = await newStore();
    const quotes = store.account('account').quotes({});
    for (const [shot, also] of [
      ['dawn', ownTaskId(intent().takeKey, 1)],
      ['dusk', 'task-second'],
    ] as const) {
      await book(store, address(shot), 'settled', OWN);
      await store.ledger.endSending(address(shot), 1, { kind: 'also-accepted', record: { taskId: also, at: AT } });
    }
    const takes = new Map([
      ['dawn', await store.ledger.takes('film', 'dawn')],
      ['dusk', await store.ledger.takes('film', 'dusk')],
    ]);
    const { dawn, dusk } = await spendingOf(takes, quotes);
    expect(dawn).toMatchObject({ charged: 12, open: [] });
    expect(dusk).toMatchObject({ charged: 12, open: [{ sending: 1 }] });
  });
});

describe('the spending of a production with a take whose records cannot be read', () => {
  let gateway: ScriptedGateway;
  let bench: ActivityBench;

  beforeEach(async () => {
    gateway = await startScriptedGateway(acceptAll());
    bench = await startBench(gateway.url, 'key', oneShotFilm());
    await book(bench.store, address('noon'), 'settled', OWN);
  });
  afterEach(async () => {
    await bench.close();
    await gateway.close();
  });

  const look = (): Promise<ProductionSpending> =>
    bench.run(bench.activities().decisions.lookUpSpending, { productionId: 'film', shotId: null });
  const recordsOf = (shotId: string, name: string): string =>
    join(bench.store.folder, `ledger/film/${shotId}/1/${name}.json`);

  it.each<[string, (path: (name: string) => string) => Promise<void>, object]>([
    ['lost its intent', (path) => rm(path('intent')), { kind: 'unknown', quoted: null }],
    ['has an intent that was cut short', (path) => truncate(path('intent'), 9), { kind: 'unknown' }],
    ['has an answer that was cut short', (path) => truncate(path('accepted-1'), 9), { takeKey: intent().takeKey }],
  ])('counts a take as open that %s', async (_what, harm, open) => {
    await book(bench.store, address('dawn'), 'accepted', OWN);
    await harm((name) => recordsOf('dawn', name));
    const found = await look();
    expect(found['noon']).toMatchObject({ charged: 12, open: [], rates: [{ credits: 2.4, kind: { unit: 'second' } }] });
    expect(found['dawn']).toMatchObject({ charged: 0, open: [{ shotId: 'dawn', standing: 'unclear', ...open }] });
  });

  it('counts a take as open if only an unreadable intent is left', async () => {
    await book(bench.store, address('dawn'), 'intended', OWN);
    await truncate(recordsOf('dawn', 'intent'), 9);
    expect((await look())['dawn']).toMatchObject({ charged: 0, open: [{ sending: 1, standing: 'unclear' }] });
  });

  it('counts its charge if that can be read', async () => {
    await book(bench.store, address('dawn'), 'settled', OWN);
    await truncate(recordsOf('dawn', 'sent-1'), 0);
    await truncate(recordsOf('dawn', 'accepted-1'), 0);
    expect((await look())['dawn']).toMatchObject({ charged: 12, chargedTakes: [intent().takeKey], open: [] });
  });

  it('keeps an unclear sending open beside the sending that was charged, but not a refused one', async () => {
    const { ledger } = bench.store;
    for (const shot of ['dawn', 'dusk']) {
      const at = address(shot);
      const taskId = `second-${shot}`;
      await book(bench.store, at, shot === 'dawn' ? 'unclear' : 'refused for now', OWN);
      await ledger.beginSending(at, 2, sent());
      await ledger.endSending(at, 2, { kind: 'accepted', record: { taskId, at: AT } });
      await ledger.settle(at, settled('completed', taskId, 12));
      await truncate(recordsOf(shot, 'accepted-2'), 0);
    }
    const { dawn, dusk } = await look();
    expect(dawn).toMatchObject({ charged: 12, open: [{ sending: 1, standing: 'unclear' }] });
    expect(dusk).toMatchObject({ charged: 12, open: [] });
  });

  it('prices it by another take of the shot if its own intent is lost', async () => {
    await book(bench.store, address('dawn'), 'accepted', OWN);
    await book(bench.store, address('dawn', 2), 'accepted', OWN);
    await rm(recordsOf('dawn', 'intent'));
    const { dawn } = await look();
    expect(dawn?.open.map(({ kind, standing }) => [kind === dawn.open[0]?.kind, standing])).toEqual([
      [true, 'sent'],
      [true, 'unclear'],
    ]);
  });

  it('counts a sending as unclear that was answered with the task of another take', async () => {
    await book(bench.store, address('dawn'), 'unclear', OWN);
    const answered = { taskId: 'task-of-another', ended: null, at: AT };
    await bench.store.ledger.endSending(address('dawn'), 1, { kind: 'answered', record: answered });
    expect((await look())['dawn']).toMatchObject({ charged: 0, open: [{ sending: 1, standing: 'unclear' }] });
  });

  it('leaves out a take of another account, and one that was never sent', async () => {
    await book(bench.store, address('dawn'), 'accepted', { account: 'another' });
    await truncate(recordsOf('dawn', 'accepted-1'), 0);
    await book(bench.store, address('dusk'), 'intended', OWN);
    await bench.store.ledger.decide(address('dusk'), 1, { kind: 'wait' } as never);
    expect(Object.keys(await look())).toEqual(['noon']);
    const broken = await brokenTakes(bench.store.ledger, 'film', 'account');
    expect(broken.map(({ shotId, sendings }) => [shotId, sendings])).toEqual([['dusk', []]]);
    expect(Object.keys(await spendingOf(new Map(), () => Promise.reject(new Error('no price')), broken))).toEqual([]);
  });

  it('sends nothing for its shot', async () => {
    await mkdir(join(bench.store.folder, 'ledger/film/dawn/1'), { recursive: true });
    await book(bench.store, ADDRESS, 'accepted', OWN);
    await truncate(recordsOf('dawn', 'intent'), 9);
    const submit = bench.run(bench.activities().submits.submitTask, bench.input);
    await expect(submit).rejects.toMatchObject({ type: 'LedgerUnavailable' });
    expect(gateway.posts()).toEqual([]);
  });
});
