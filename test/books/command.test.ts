import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DIFFERENCES } from '../../client/books';
import { openStore, type FolderStore } from '../../store';
import { writeBackup } from '../../store/backup/backup';
import { AT } from '../support/ledger-fixtures';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies } from '../scripts/command';
import { address, book } from './store-with-takes';
import { recordsOf } from '../support/store-records';

describe('dailies ledger', () => {
  let folder: string;
  let store: FolderStore;

  beforeEach(async () => {
    folder = await temporaryFolder();
    store = await openStore(join(folder, 'store'));
    await book(store, address('dawn'), 'settled');
    await book(store, address('noon'), 'unclear');
  });

  it('prints the books without Temporal: counts, bounds, and what to type for an unclear take', async () => {
    const { exitCode, stdout, stderr } = await dailies(['ledger'], { folder });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^ {2}film +2 +1 +0 +1 +1 +0 +12$/m);
    expect(stdout).toContain('Accepted in the ledger (1) <= accepted by the gateway <= accepted in the ledger, plus');
    expect(stdout).toContain('that may have been accepted (1 + 1)');
    expect(stdout).toContain('type: dailies resolve film noon --adopt TASK_ID | --resubmit | --skip | --use FILE');
    expect(stdout).toContain('"prompt":"dawn"');
  });

  it('prints the same as JSON, and refuses a production that has no takes', async () => {
    const { stdout } = await dailies(['ledger', 'film', '--json'], { folder });
    expect(JSON.parse(stdout)).toMatchObject({ total: { takes: 2, credits: 12 }, unclear: [{ shot: 'noon' }] });
    expect(await dailies(['ledger', 'flim'], { folder })).toMatchObject({ exitCode: 2 });
  });

  it('backs up, restores into an empty folder, and says what a restored ledger does', async () => {
    expect(await dailies(['ledger', '--backup', 'books'], { folder })).toMatchObject({ exitCode: 0 });
    const env = { DAILIES_STORE: join(folder, 'new') };
    const restored = await dailies(['ledger', '--restore', 'books'], { folder, env });
    expect(restored.exitCode).toBe(0);
    expect(restored.stdout).toContain('Takes that may have been sent since the backup: 1');
    expect((await dailies(['ledger'], { folder, env })).stdout).toContain('Restored or taken over on');
    const cleared = await dailies(['ledger', '--nothing-sent-since-backup'], { folder, env });
    expect(cleared.stdout).toContain('Takes that were held and may be sent now: 0');
    expect((await dailies(['ledger'], { folder, env })).stdout).not.toContain('Restored or taken over on');
  });

  it('says that the gap of an earlier interrupted restore stays open', async () => {
    await book(store, address('dusk'), 'intended');
    const backupAt = '2026-01-01T00:00:00.000Z';
    const gap = { name: 'interrupted', backupAt, restoredAt: backupAt };
    await recordsOf(store).create('restored/interrupted/begun', gap);
    await writeBackup(store.folder, join(folder, 'books'));
    const restore = ['ledger', '--restore', 'books', '--nothing-sent-since-backup'];
    const { exitCode, stdout } = await dailies(restore, { folder });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Takes that may have been sent since an earlier backup: 2.');
    expect(stdout).toContain('Tasks that were sent after 2026-01-01 00:00:00 UTC may be missing');
    const env = { DAILIES_STORE: join(folder, 'new') };
    await dailies(['ledger', '--nothing-sent-since-backup'], { folder });
    await writeBackup(store.folder, join(folder, 'cleared'));
    const cleared = ['ledger', '--restore', 'cleared', '--nothing-sent-since-backup'];
    expect((await dailies(cleared, { folder, env })).stdout).not.toContain('may be missing');
  });

  it('rebuilds only from the histories of a named production', async () => {
    expect(await dailies(['ledger', '--rebuild'], { folder })).toMatchObject({ exitCode: 2 });
    expect(await dailies(['ledger', 'film', '--rebuild', '--backup', 'books'], { folder })).not.toMatchObject({
      exitCode: 0,
    });
    const { exitCode, stdout } = await dailies(['ledger', 'film', '--rebuild', '--json'], { folder });
    expect({ exitCode, answer: JSON.parse(stdout) as unknown }).toEqual({
      exitCode: 0,
      answer: { production: 'film', tasks: [] },
    });
  });

  it('rebuilds what the store knows by any record, and refuses what only Temporal could know', async () => {
    const records = recordsOf(store);
    // Damaged.
    await records.create('productions/torn/render', null);
    await records.create('batches/rows/begun-1', {});
    await records.create('ledger/taken/dawn/1/sent-1', {});
    const rebuild = (id: string) => dailies(['ledger', id, '--rebuild'], { folder });
    for (const known of ['torn', 'rows', 'taken', 'generations']) {
      expect(await rebuild(known)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('has every task') });
    }
    const { exitCode, stdout, stderr } = await rebuild('tron');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/no record of "tron".*`dailies up`.*Did you mean "torn"/);
  });

  it('refuses a backup that is missing, incomplete, or of another store', async () => {
    await dailies(['ledger', '--backup', 'books'], { folder });
    const env = { DAILIES_STORE: join(folder, 'new') };
    const restore = (file: string, into = env) => dailies(['ledger', '--restore', file], { folder, env: into });
    expect(await restore('nothing')).toMatchObject({ exitCode: 2 });
    await openStore(join(folder, 'another'));
    expect(await restore('books', { DAILIES_STORE: join(folder, 'another') })).toMatchObject({ exitCode: 2 });
    await truncate(join(folder, 'books'), 700);
    expect(await restore('books')).toMatchObject({ exitCode: 2 });
  });
});

describe('dailies audit', () => {
  it('ends with 0 if the records agree, 3 if they differ, 2 for an unknown production, and starts nothing', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(join(folder, 'store'));
    const asset = await store.assets.putBytes(Buffer.from('a clip'), {
      mediaType: 'video/mp4',
      durationSeconds: 1,
      width: 2,
      height: 2,
    });
    await book(store, address('dawn'), 'settled');
    await store.ledger.noteOutput(address('dawn'), 'task-dawn', {
      asset,
      firstFrame: null,
      lastFrame: null,
      warnings: [],
    });
    await recordsOf(store).replace('productions/film/source', { path: '/film.yaml', account: 'sandbox', at: AT });

    const agrees = await dailies(['audit', 'film'], { folder });
    expect(agrees).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^The sandbox was not asked/) as string,
    });
    expect(agrees.stdout).toContain('the books agree, as far as they were read\n');
    await writeFile(store.assets.shownPath(asset), 'a clap');
    const differs = await dailies(['audit', 'film'], { folder });
    expect(differs.exitCode).toBe(3);
    expect(differs.stdout).toMatch(/^ {2}asset-altered: [^]*^ {4}dawn, take 1: clip .*$/m);
    expect(differs.stdout).toContain('&& dailies render /film.yaml --id film');
    const { stdout } = await dailies(['audit', 'film', '--json'], { folder });
    expect(JSON.parse(stdout)).toMatchObject({ clean: false, differences: [{ kind: 'asset-altered', shot: 'dawn' }] });
    expect(await dailies(['audit', 'flim'], { folder })).toMatchObject({ exitCode: 2 });
  });
});

describe('docs/ledger.md', () => {
  it('explains every difference in the words of the audit, and no other', async () => {
    const page = await readFile(join(__dirname, '..', '..', 'docs', 'ledger.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `([a-z-]+)` +\| ([^|]+?) +\| [^|]{8,}\|$/gm)];
    expect(Object.fromEntries(rows.map(([, kind, words]) => [kind, words]))).toEqual(DIFFERENCES);
  });
});
