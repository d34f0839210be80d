import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore, type FolderStore } from '../../store';
import { intent } from '../support/ledger-fixtures';
import { temporaryFolder } from '../support/temporary-folder';
import { recordsOf } from '../support/store-records';

describe('records', () => {
  let store: FolderStore;

  beforeEach(async () => {
    store = await openStore(await temporaryFolder());
  });

  it('returns what was written, and undefined if nothing was', async () => {
    await recordsOf(store).replace('productions/film/render', { renderId: 'one' });
    expect(await recordsOf(store).read('productions/film/render')).toEqual({ renderId: 'one' });
    expect(await recordsOf(store).read('productions/film/status')).toBeUndefined();
    expect(await recordsOf(store).list('productions/other')).toEqual([]);
  });

  it.each(['intro.part', 'a.json', 'a.json.part', 'dawn', 'intro.0b7c2f9e-6f6b-4b0e-9c9a-2f7d4a1f0e11.part'])(
    'lists a shot and a production of the id %s under its own name',
    async (id) => {
      await store.ledger.intend({ productionId: id, shotId: id, take: 1 }, intent());
      await recordsOf(store).replace(`productions/${id}/render`, {});
      expect(await store.ledger.shots(id)).toEqual([id]);
      expect(await store.ledger.takes(id, id)).toHaveLength(1);
      expect(await recordsOf(store).list('productions')).toEqual([id]);
    },
  );

  it('lists a record without its extension, and no part file of an interrupted one', async () => {
    await recordsOf(store).replace('films/a.json', {});
    await recordsOf(store).replace('films/b', {});
    await writeFile(join(store.folder, 'films/b.json.0b7c2f9e-6f6b-4b0e-9c9a-2f7d4a1f0e11.part'), '{');
    expect((await recordsOf(store).list('films')).toSorted()).toEqual(['a.json', 'b']);
  });

  it('leaves no part file if a record cannot be written', async () => {
    await recordsOf(store).replace('films/a.json/b', {});
    await expect(recordsOf(store).replace('films/a', {})).rejects.toThrow('EISDIR');
    expect(await readdir(join(store.folder, 'films'))).toEqual(['a.json']);
  });
});
