import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ledgerBooks } from '../../client/books';
import { type FolderStore } from '../../store';
import { AT, sent, settled } from '../support/ledger-fixtures';
import { address, book, newStore, storeOfMany } from './store-with-takes';

describe('the books of the ledger', () => {
  let store: FolderStore;

  beforeEach(async () => {
    store = await newStore();
  });

  it('count each production and all of them', async () => {
    await book(store, address('dawn'), 'settled');
    await book(store, address('noon'), 'failed');
    await book(store, address('dusk', 1, 'another'), 'accepted');
    const { productions, total } = await ledgerBooks(store, 'sandbox');
    expect(productions).toMatchObject([
      { production: 'another', takes: 1, accepted: 1, settled: 0, credits: 0 },
      { production: 'film', takes: 2, accepted: 2, settled: 2, failed: 1, chargeUnknown: 1, credits: 12 },
    ]);
    expect(total).toMatchObject({ takes: 3, accepted: 3, settled: 2, failed: 1, credits: 12 });
  });

  it('sum charges without floating-point noise', async () => {
    for (const [shot, credits] of [['dawn', 0.1] as const, ['noon', 0.2] as const]) {
      await book(store, address(shot), 'accepted');
      await store.ledger.settle(address(shot), settled('completed', `task-${shot}`, credits));
    }
    const { productions, total } = await ledgerBooks(store, 'sandbox');
    expect([productions[0]?.credits, total.credits]).toEqual([0.3, 0.3]);
  });

  it('read few takes at once, however many productions the store has', async () => {
    const { store: many, most } = await storeOfMany(250);
    expect((await ledgerBooks(many, 'sandbox')).productions).toHaveLength(250);
    expect(most()).toBeLessThanOrEqual(100);
  });

  it('name an unclear take with what was sent and what to type', async () => {
    await book(store, address('dawn'), 'unclear');
    const { unclear, total } = await ledgerBooks(store, 'sandbox');
    expect(unclear).toEqual([
      expect.objectContaining({
        production: 'film',
        shot: 'dawn',
        take: 1,
        sentAt: AT,
        idempotencyKey: (await store.ledger.take(address('dawn')))?.intent.takeKey,
        since: AT,
        reason: 'no answer',
        model: 'beta-2.5',
        parameters: { prompt: 'dawn' },
        command: expect.stringContaining('dailies resolve film dawn --adopt TASK_ID'),
      }),
    ]);
    expect(total).toMatchObject({ accepted: 0, unclear: 1, unknown: 1 });
  });

  it('name a take whose sender died silently, even if no worker has recorded that', async () => {
    await book(store, address('dawn'), 'abandoned');
    await book(store, address('noon'), 'on the wire');
    const { unclear, total } = await ledgerBooks(store, 'sandbox');
    expect(unclear).toMatchObject([{ shot: 'dawn', since: AT, reason: 'it was sent, and no answer is recorded' }]);
    expect(total).toMatchObject({ unclear: 1, unknown: 2 });
  });

  it('count a task whose answer is recorded, although its acceptance was lost with a restore', async () => {
    await book(store, address('dawn'), 'on the wire');
    const ended = settled('completed');
    await store.ledger.endSending(address('dawn'), 1, {
      kind: 'answered',
      record: { taskId: 'task-1', ended, at: AT },
    });
    await store.ledger.settle(address('dawn'), ended);
    const { total } = await ledgerBooks(store, 'sandbox');
    expect(total).toMatchObject({ accepted: 1, settled: 1, unknown: 0 });
  });

  it('name a take whose submit was interrupted by a crash', async () => {
    await book(store, address('dawn'), 'intended');
    await writeFile(join(store.folder, 'ledger/film/dawn/1/sent-1.json'), '{"at": "20');
    expect((await ledgerBooks(store, 'sandbox')).unclear).toMatchObject([{ shot: 'dawn', sentAt: null, since: AT }]);
  });

  it('bound the number of accepted tasks by the unknown ones, decided or not', async () => {
    await book(store, address('open'), 'unclear');
    await book(store, address('wire'), 'on the wire');
    await book(store, address('resent'), 'unclear');
    const decision = { kind: 'resubmit', by: 'person', afterSending: 1, at: AT } as const;
    await store.ledger.decide(address('resent'), 1, decision);
    await store.ledger.beginSending(address('resent'), 2, sent());
    await store.ledger.endSending(address('resent'), 2, { kind: 'accepted', record: { taskId: 'task-2', at: AT } });
    await book(store, address('skipped'), 'unclear');
    await store.ledger.decide(address('skipped'), 1, { ...decision, kind: 'skip' });
    const { total, unclear } = await ledgerBooks(store, 'sandbox');
    expect(total).toMatchObject({ accepted: 1, unknown: 4, unclear: 1 });
    expect(unclear.map(({ shot }) => shot)).toEqual(['open']);
  });

  it('leave out the charges of other accounts, and say so', async () => {
    await book(store, address('dawn'), 'settled', { account: 'theirs' });
    await book(store, address('noon'), 'settled');
    const { total, otherAccounts } = await ledgerBooks(store, 'sandbox');
    expect(total.takes).toBe(1);
    expect(otherAccounts).toEqual([{ account: 'theirs', takes: 1 }]);
  });

  it('name a take whose records cannot be read, and count the others', async () => {
    await book(store, address('dawn'), 'settled');
    await book(store, address('noon'), 'settled');
    await book(store, address('dusk'), 'settled');
    await writeFile(join(store.folder, 'ledger/film/dawn/1/settled.json'), '{"taskId": "ta');
    await rm(join(store.folder, 'ledger/film/dusk/1/intent.json'));
    const { total, broken } = await ledgerBooks(store, 'sandbox');
    expect(total.takes).toBe(1);
    expect(broken.map(({ shot }) => shot)).toEqual(['dawn', 'dusk']);
  });
});
