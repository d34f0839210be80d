import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  holdClaimed,
  isHeld,
  openStore,
  restoredMark,
  ledgerState,
  type FolderStore,
  type Ledger,
  type TakeAddress,
  type TakeHistory,
} from '../../store';
import { writeBackup } from '../../store/backup/backup';
import { clearRestored, restoreBackup } from '../../store/backup/restore';
import { AT, intent, sent } from '../support/ledger-fixtures';
import { recordsOf } from '../support/store-records';
import { temporaryFolder } from '../support/temporary-folder';
import { address, book, newStore } from './store-with-takes';

describe('a restored ledger', () => {
  let before: FolderStore;
  let store: FolderStore;

  beforeEach(async () => {
    before = await newStore();
  });

  async function restore(): Promise<void> {
    const file = join(await temporaryFolder(), 'backup');
    await writeBackup(before.folder, file);
    const folder = join(await temporaryFolder(), 'store');
    await restoreBackup(folder, file, { nothingSentSince: false });
    store = await openStore(folder);
  }

  async function historyOf(at: TakeAddress): Promise<TakeHistory> {
    return (await store.ledger.take(at))!;
  }

  /** Claims a take as the activity does, and makes ready to send it. */
  async function claim(at: TakeAddress, sameAsk: readonly TakeHistory[] = []): Promise<TakeHistory> {
    const mark = restoredMark(await store.restores.openGap(), sameAsk);
    await store.ledger.intend(at, intent(mark));
    await holdClaimed(store.ledger, at, await historyOf(at));
    return historyOf(at);
  }

  it('holds a take that it does not know, even in an unknown production', async () => {
    await restore();
    for (const at of [address('new'), address('dawn', 1, 'another')]) {
      const claimed = await claim(at);
      expect(ledgerState(claimed)).toMatchObject({ is: 'unclear', reason: expect.stringContaining('backup of') });
      expect(isHeld(claimed)).toBe(true);
    }
  });

  it('holds a claimed take even after a crash right after its intent, or during the hold', async () => {
    await restore();
    const gap = await store.restores.openGap();
    await store.ledger.intend(address('dawn'), intent(restoredMark(gap, [])));
    await store.ledger.beginSending(address('dawn'), 1, { ...sent(0), restored: gap });
    await holdClaimed(store.ledger, address('dawn'), await historyOf(address('dawn')));
    expect(ledgerState(await historyOf(address('dawn'))).is).toBe('sending');
    expect(isHeld(await historyOf(address('dawn')))).toBe(true);
  });

  it('stays held if a person says of a later backup that nothing was sent since', async () => {
    await restore();
    await claim(address('dawn'));
    const gap = await store.restores.openGap();
    const later = join(await temporaryFolder(), 'later');
    await writeBackup(store.folder, later);
    const folder = join(await temporaryFolder(), 'store');
    await restoreBackup(folder, later, { nothingSentSince: true });
    store = await openStore(folder);
    expect(await store.restores.openGap()).toEqual(gap);
    expect(isHeld(await historyOf(address('dawn')))).toBe(true);
    // Said without a backup, it is about all gaps.
    expect(await clearRestored(store)).toBe(1);
    expect(await store.restores.openGap()).toBeUndefined();
  });

  it('holds the takes that an interrupted restore left, although nothing was sent since a later backup', async () => {
    // A restore that was interrupted before it held any take.
    const backupAt = new Date(Date.now() - 3_600_000).toISOString();
    const gap = { name: 'interrupted', backupAt, restoredAt: backupAt };
    const folder = join(await temporaryFolder(), 'store');
    const cut = await openStore(folder);
    await book(cut, address('dawn'), 'intended');
    await recordsOf(cut).create('restored/interrupted/begun', gap);
    const later = join(await temporaryFolder(), 'later');
    await writeBackup(folder, later);
    const { held, openGap } = await restoreBackup(folder, later, { nothingSentSince: true });
    store = await openStore(folder);
    expect(held).toBe(1);
    expect(openGap).toEqual(await store.restores.openGap());
    expect(isHeld(await historyOf(address('dawn')))).toBe(true);
    expect(await store.restores.openGap()).toMatchObject({ backupAt });
  });

  it('asks once for each request: a further take after a decision is sent as usual', async () => {
    await restore();
    const first = await claim(address('dawn'));
    const second = await claim(address('dawn', 2), [first]);
    expect(ledgerState(second)).toEqual({ is: 'sendable', n: 1 });
  });

  it.each([[[]], [['done']], [['cleared']]])(
    'is restored and cleared beside a crashed beginning with %j',
    async (steps) => {
      await restore();
      const crashed = join(store.folder, 'restored', '2026-01-01');
      await mkdir(crashed);
      for (const step of steps) await writeFile(join(crashed, `${step}.json`), `{ "at": "${AT}" }`);
      const file = join(await temporaryFolder(), 'again');
      await writeBackup(before.folder, file);
      await restoreBackup(store.folder, file, { nothingSentSince: false });
      expect(await store.restores.openGap()).toMatchObject({ backupAt: expect.any(String) });
      await clearRestored(store);
      expect(await store.restores.openGap()).toBeUndefined();
    },
  );

  it('asks again after another restore', async () => {
    await restore();
    const first = await claim(address('dawn'));
    before = store;
    await restore();
    expect(ledgerState(await claim(address('dawn', 2), [first])).is).toBe('unclear');
  });

  it('sends a held take after a decision of a person', async () => {
    await restore();
    await claim(address('dawn'));
    const decision = { kind: 'resubmit', by: 'person', afterSending: 1, at: AT } as const;
    await store.ledger.decide(address('dawn'), 1, decision);
    expect(ledgerState(await historyOf(address('dawn')))).toEqual({ is: 'sendable', n: 2 });
    expect(await holdClaimed(store.ledger, address('dawn'), await historyOf(address('dawn')))).toBe(false);
  });

  it('adopts the task of a held take', async () => {
    await book(before, address('dawn'), 'intended');
    await restore();
    await store.ledger.endSending(address('dawn'), 1, { kind: 'accepted', record: { taskId: 'task-7', at: AT } });
    const history = await historyOf(address('dawn'));
    expect(ledgerState(history)).toMatchObject({ is: 'accepted', taskId: 'task-7' });
    expect(isHeld(history)).toBe(false);
  });

  it('frees only what was held because of the gap when a person says that nothing was sent', async () => {
    await book(before, address('intended'), 'intended');
    await book(before, address('unclear'), 'unclear');
    await restore();
    await claim(address('new'));
    expect(await clearRestored(store)).toBe(2);
    expect(ledgerState(await historyOf(address('intended')))).toEqual({ is: 'sendable', n: 2 });
    expect(ledgerState(await historyOf(address('new')))).toEqual({ is: 'sendable', n: 2 });
    expect(ledgerState(await historyOf(address('unclear'))).is).toBe('unclear');
    expect(ledgerState(await claim(address('newer'))).is).toBe('sendable');
    expect(await clearRestored(store)).toBeUndefined();
  });

  it('frees the rest when the statement is repeated after a crash', async () => {
    await book(before, address('first'), 'intended');
    await book(before, address('second'), 'intended');
    await restore();
    let calls = 0;
    const endSending: Ledger['endSending'] = (...args) => {
      calls += 1;
      return calls === 2 ? Promise.reject(new Error('crash')) : store.ledger.endSending(...args);
    };
    await expect(clearRestored({ ...store, ledger: { ...store.ledger, endSending } })).rejects.toThrow('crash');
    expect(await clearRestored(store)).toBe(1);
    expect(ledgerState(await historyOf(address('first')))).toEqual({ is: 'sendable', n: 2 });
    expect(ledgerState(await historyOf(address('second')))).toEqual({ is: 'sendable', n: 2 });
    expect(await clearRestored(store)).toBeUndefined();
  });

  it('holds a take that cannot be read at the restore, for when it can be', async () => {
    await before.ledger.intend(address('dawn'), intent());
    const file = join(await temporaryFolder(), 'backup');
    await writeBackup(before.folder, file);
    const folder = join(await temporaryFolder(), 'store');
    // An older state of the same store, with a record that cannot be read now.
    await restoreBackup(folder, file, { nothingSentSince: true });
    store = await openStore(folder);
    await store.ledger.intend(address('noon'), intent({ takeKey: 'c'.repeat(64) }));
    const record = join(folder, 'ledger/film/noon/1/intent.json');
    const whole = await readFile(record, 'utf8');
    await truncate(record, 3);
    expect(await restoreBackup(folder, file, { nothingSentSince: false })).toMatchObject({ held: 2 });
    await writeFile(record, whole);
    expect(ledgerState(await historyOf(address('noon')))).toMatchObject({ is: 'unclear' });
  });

  it('holds nothing in a ledger that was never restored', async () => {
    store = before;
    expect(ledgerState(await claim(address('dawn')))).toEqual({ is: 'sendable', n: 1 });
  });
});
