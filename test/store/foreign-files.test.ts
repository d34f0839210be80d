import { mkdir, readdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { audit, ledgerBooks } from '../../client/books';
import { type FolderStore, accountInLedger } from '../../store';
import { writeBackup } from '../../store/backup/backup';
import { address, book, newStore } from '../books/store-with-takes';
import { AT, intent } from '../support/ledger-fixtures';
import { recordsOf } from '../support/store-records';

const quotes = () => Promise.resolve({ credits: { low: 9, high: 10 } } as never);
const look = (store: FolderStore) =>
  accountInLedger(store.ledger, { account: 'sandbox', quotes, alive: () => undefined });

const CLOSED = { for: 'down', reason: '503', since: AT, failures: 1, tryAt: AT, tryAnywayAt: AT } as const;

/** What network storage, file managers, editors and file systems leave in folders. */
const FOLDERS = ['@eaDir', 'lost+found', '.Trash-1000', '#recycle', 'System Volume Information'];
const FILES = ['.DS_Store', 'Thumbs.db', '._intent.json', 'desktop.ini', 'intent (copy).json', 'notes.json~'];

/** Writes such files into every folder of the store. */
async function litter(folder: string): Promise<void> {
  const below = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  for (const { name } of below) await litter(join(folder, name));
  for (const name of FOLDERS) {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, 'index.json'), '{');
  }
  for (const name of FILES) await writeFile(join(folder, name), '{');
}

describe('a store with foreign files in every folder', () => {
  let store: FolderStore;
  let told: jest.SpyInstance;

  beforeEach(async () => {
    told = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    store = await newStore();
    await book(store, address('dawn'), 'accepted');
    await book(store, address('noon'), 'settled', { takeKey: 'c'.repeat(64) });
    await recordsOf(store).replace('productions/film/source', { path: '/film.yaml', account: 'sandbox', at: AT });
    await store.account('sandbox').gate.close(CLOSED);
    await store.account('sandbox').limits.change(() => ({ account: { inFlight: 2 }, models: {} }));
    await recordsOf(store).create('restored/one/begun', { name: 'one', backupAt: AT, restoredAt: AT });
    await recordsOf(store).create('restored/one/done', { at: AT });
    await recordsOf(store).create('restored/one/cleared', { at: AT });
  });

  afterEach(() => told.mockRestore());

  async function seen(): Promise<unknown> {
    const { underWay, unreadable } = await look(store);
    const books = await ledgerBooks(store, 'sandbox');
    const audited = await audit({ store, account: 'sandbox', production: 'film' });
    return {
      ids: await store.productions.ids(),
      shots: (await store.ledger.shots('film')).toSorted(),
      takes: await store.ledger.takes('film', 'dawn'),
      underWay,
      unreadable,
      books,
      differences: audited?.differences,
      gate: await store.account('sandbox').gate.read(),
      limits: await store.account('sandbox').limits.read(),
      gap: await store.restores.openGap(),
    };
  }

  it('reads as it did without them', async () => {
    const before = await seen();
    await litter(store.folder);
    expect(await seen()).toEqual(before);
    await writeBackup(store.folder, join(store.folder, 'backup'));
  });

  it('says so once for each name', async () => {
    await litter(store.folder);
    await seen();
    await seen();
    const names = told.mock.calls.map(([line]) => /has "([^"]+)"/.exec(String(line))?.[1]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('treats a folder with only foreign files as empty', async () => {
    await mkdir(join(store.folder, 'ledger/film/noon/2'));
    await litter(store.folder);
    await writeFile(join(store.folder, 'ledger/film/noon/2/backup.json'), '{}');
    expect(await store.ledger.takes('film', 'noon')).toHaveLength(1);
    expect(await store.ledger.intend(address('noon', 2), intent())).toBe(true);
  });

  it('reads a record behind a symbolic link as a record', async () => {
    const take = join(store.folder, 'ledger/film/noon/1');
    const before = await store.ledger.take(address('noon'));
    for (const name of await readdir(take)) {
      await rename(join(take, name), join(store.folder, name));
      await symlink(join(store.folder, name), join(take, name));
    }
    expect(await store.ledger.take(address('noon'))).toEqual(before);
    // Its place is taken even if the target of the link is gone.
    await rm(join(store.folder, 'intent.json'));
    await expect(store.ledger.take(address('noon'))).rejects.toThrow();
  });

  it('continues if a folder is in the place of a record, or if the record of the gate is broken', async () => {
    await mkdir(join(store.folder, 'ledger/film/noon/1/output.json'));
    await rm(join(store.folder, 'ledger/film/noon/1/settled.json'));
    await mkdir(join(store.folder, 'ledger/film/noon/1/settled.json'));
    const { takes } = (await ledgerBooks(store, 'sandbox')).total;
    expect(takes).toBe(2);
    const gates = (await readdir(join(store.folder, 'accounts'), { recursive: true })).filter((name) =>
      name.includes('closed-1'),
    );
    await truncate(join(store.folder, 'accounts', gates[0]!), 3);
    expect(await store.account('sandbox').gate.read()).toBeUndefined();
  });
});
