import promises, { type FileHandle, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ResultFiles, type ResultLine } from '../../../client/batch';
import { currentEnd } from '../../../client/batch/current-end';
import { TABLE_HEAD } from '../../../client/batch/result-line';
import { isComplete } from '../../../client/batch/row-output';
import { type BatchRow } from '../../../contracts/render/batch-page';
import { type ProductionStatus } from '../../../contracts/status';
import { type FolderStore, openStore } from '../../../store';
import { recordedEnd, recordedRow, recordRun } from '../../support/batch-records';
import { intent } from '../../support/ledger-fixtures';
import { temporaryFolder } from '../../support/temporary-folder';

const LATER = '2026-11-23T00:00:00.000Z';
const KEYS = ['fine', 'torn', 'half-torn', 'endless', 'last'];

describe('the end of a row that continued after its batch', () => {
  it('has the credits and the fallback of its production, and says what is missing', async () => {
    const store = await openStore(await temporaryFolder());
    const parked = recordedEnd('cup', { state: 'parked', parkedFor: 'unclear', credits: null, take: null });
    const row = { kind: 'production', key: 'cup' } as BatchRow;
    await recordRun(store, 'shop', { rows: [recordedRow('cup')], ends: [parked], state: 'incomplete' });
    const begun = await store.batches.begun('shop');
    if (begun === undefined) throw new Error('the batch has not begun');
    const shots = [
      { id: 'a', state: 'completed', reason: null, takes: [{ credits: 0.1 }, { credits: 0.2 }] },
      { id: 'b', state: 'failed', reason: 'refused', takes: [] },
    ];
    const ended = { production: 'shop.cup', state: 'incomplete', reason: null, film: null, shots };
    const readyBy = { fallback: ['a'] };
    await store.productions.archive({ ...ended, readyBy, endedAt: LATER } as unknown as ProductionStatus);
    expect(await currentEnd(store, begun, 'shop', row, parked)).toMatchObject({
      ...{ state: 'failed', reason: 'b: refused', parkedFor: null, credits: 0.3, fallback: true, at: LATER },
    });
  });
});

describe('the list of results', () => {
  let store: FolderStore;
  let folder: string;
  beforeEach(async () => {
    store = await openStore(await temporaryFolder());
    folder = await temporaryFolder();
    await recordRun(store, 'shop', { rows: [recordedRow('cup')], ends: [recordedEnd('cup')] });
  });
  const append = async (): Promise<ResultFiles> => {
    const begun = await store.batches.begun('shop');
    if (begun === undefined) throw new Error('the batch has not begun');
    const files = await ResultFiles.open({ store, batchId: 'shop', begun, folder });
    await files.append();
    return files;
  };

  it('loses a line that a crash has cut off, however long it is', async () => {
    const list = join(folder, 'results.jsonl');
    await writeFile(
      list,
      `${JSON.stringify({ key: 'pot', state: 'completed' })}\n{"key":"jug","text":"${'x'.repeat(3 << 20)}`,
    );
    await append();
    const lines = (await readFile(list, 'utf8')).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as ResultLine).key)).toEqual(['pot', 'cup']);
  });

  it('is closed and removed if the table beside it cannot be opened', async () => {
    const files = await append();
    const real = promises.open;
    const opened: FileHandle[] = [];
    const open = jest.spyOn(promises, 'open').mockImplementation(async (path, ...how) => {
      if (/results\.csv\..*part$/.test(String(path))) throw new Error('EMFILE: too many open files');
      const file = await real(path, ...how);
      opened.push(file);
      return file;
    });
    try {
      await expect(files.complete(undefined)).rejects.toThrow('EMFILE');
    } finally {
      open.mockRestore();
    }
    expect(opened.map(({ fd }) => fd)).toEqual([-1]);
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it.each([
    [
      'keeps a table of an older version, with fewer columns',
      'results.csv',
      `${TABLE_HEAD.split(',').slice(0, -1).join(',')}\n`,
      false,
    ],
    ['continues a table whose first line a crash has cut off', 'results.csv', TABLE_HEAD.slice(0, 20), false],
    ['continues a list whose first line a crash has cut off', 'results.jsonl', '{"key":"pot","sta', false],
    ["moves a person's table aside", 'results.csv', 'name,price\n', true],
    ["moves a person's table aside whose columns begin alike", 'results.csv', 'key,state\nmine,sold\n', true],
    ["moves a person's table without a line end aside", 'results.csv', 'my notes', true],
    ["moves a person's list without a line end aside", 'results.jsonl', '{"my":"data"}', true],
  ])('%s', async (_what, name, text, isMoved) => {
    await writeFile(join(folder, name), text);
    await append();
    const kept = (await readdir(folder)).filter((file) => file.includes('kept'));
    expect(kept).toHaveLength(isMoved ? 1 : 0);
    for (const file of kept) expect(await readFile(join(folder, file), 'utf8')).toBe(text);
    const [head] = (await readFile(join(folder, 'results.csv'), 'utf8')).split('\n');
    // The head of an older version has fewer columns.
    expect(`${TABLE_HEAD},`.startsWith(`${head!},`)).toBe(true);
  });
});

describe('the results of rows that are productions without a film', () => {
  let store: FolderStore;

  /** Records a row's production of one shot, whose take was paid for. */
  async function recordProduction(key: string): Promise<void> {
    const production = `shop.${key}`;
    const asset = await store.assets.putBytes(Buffer.from(key), {
      ...{ mediaType: 'image/png', durationSeconds: null, width: 1, height: 1 },
    });
    const shots = [{ id: 'a', filmTake: 1, takes: [{ take: 1, asset }] }];
    await store.productions.archive({ production, shots } as unknown as ProductionStatus);
    await store.ledger.intend({ productionId: production, shotId: 'a', take: 1 }, intent());
  }
  const tear = (...path: readonly string[]) => writeFile(join(store.folder, ...path), '{"tak');
  const takeOf = (key: string) => ['ledger', `shop.${key}`, 'a', '1'] as const;

  beforeAll(async () => {
    store = await openStore(await temporaryFolder());
    for (const key of KEYS) await recordProduction(key);
    await tear(...takeOf('torn'), 'intent.json');
    await tear(...takeOf('half-torn'), 'accepted-1.json');
    await tear('productions', 'shop.endless', 'status.json');
    const ends = KEYS.map((key) => recordedEnd(key, { take: null, taskId: null }));
    await recordRun(store, 'shop', { rows: KEYS.map((key) => recordedRow(key)), ends, state: 'completed' });
  });

  it.each(['append', 'complete'] as const)(
    'list rows with unreadable records with the reason, and copy the others: %s',
    async (how) => {
      const begun = await store.batches.begun('shop');
      if (begun === undefined) throw new Error('the batch has not begun');
      const folder = await temporaryFolder();
      const files = await ResultFiles.open({ store, batchId: 'shop', begun, folder });
      await (how === 'append' ? files.append() : files.complete(undefined));
      const lines = (await readFile(join(folder, 'results.jsonl'), 'utf8')).trim().split('\n');
      const rows = lines.map((line) => JSON.parse(line) as ResultLine);
      const copied = { state: 'completed', reason: null };
      const withReason = (record: string) => ({
        state: 'completed',
        path: null,
        reason: expect.stringContaining(record),
      });
      expect(rows).toMatchObject([
        { key: 'fine', path: join(folder, 'fine'), ...copied },
        { key: 'torn', ...withReason('the record ledger/shop.torn/a/1/intent is not JSON') },
        { key: 'half-torn', path: join(folder, 'half-torn'), ...copied },
        { key: 'endless', ...withReason('the record productions/shop.endless/status is not JSON') },
        { key: 'last', path: join(folder, 'last'), ...copied },
      ]);
    },
  );

  it('do not count as complete if the records do not say which account paid', async () => {
    const end = { state: 'completed', asset: null } as const;
    const rowsOf = { batchId: 'shop', account: 'sandbox' };
    const complete = [];
    for (const key of KEYS) complete.push(await isComplete(store, rowsOf, { key, kind: 'production' }, end));
    expect(complete).toEqual([true, false, true, false, true]);
  });
});
