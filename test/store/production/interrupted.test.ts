import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore } from '../../../store';
import { recordedEnd, recordedRow, recordRun } from '../../support/batch-records';
import { AT, FROZEN } from '../../support/ledger-fixtures';
import { temporaryFolder } from '../../support/temporary-folder';

describe('what was interrupted', () => {
  it('has productions and batches whose records are unreadable, so that one of them does not stop the others', async () => {
    const store = await openStore(await temporaryFolder());
    const begun = { renderId: 'render-1', production: FROZEN, account: 'sandbox', at: AT };
    for (const id of ['open', 'torn']) await store.productions.begin(id, begun);
    await store.productions.begin('of-another', { ...begun, account: 'another' });
    const rows = { rows: [recordedRow('cup')], ends: [recordedEnd('cup')] };
    for (const id of ['rows', 'rows-torn']) await recordRun(store, id, rows);
    await recordRun(store, 'rows-done', { ...rows, state: 'completed' });
    await writeFile(join(store.folder, 'productions/torn/render.json'), '{"ren');
    await writeFile(join(store.folder, 'batches/rows-torn/begun-1.json'), 'null');
    expect(await store.productions.interrupted('sandbox')).toEqual(['open', 'torn']);
    expect(await store.batches.interrupted('sandbox')).toEqual(['rows', 'rows-torn']);
  });
});
