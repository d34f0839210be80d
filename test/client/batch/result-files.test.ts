import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openResultFiles, type ResultLine } from '../../../client/batch';
import { isComplete } from '../../../client/batch/row-output';
import { type ProductionStatus } from '../../../contracts/status';
import { type FolderStore, openStore } from '../../../store';
import { recordedEnd, recordedRow, recordRun } from '../../support/batch-records';
import { intent } from '../../support/ledger-fixtures';
import { temporaryFolder } from '../../support/temporary-folder';

const KEYS = ['fine', 'torn', 'half-torn', 'endless', 'last'];

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
      const files = await openResultFiles({ store, batchId: 'shop', begun, folder });
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
