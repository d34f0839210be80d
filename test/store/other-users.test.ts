import { chmod, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore, type FolderStore } from '../../store';
import { UnreadableRecord } from '../../store/records';
import { ADDRESS, intent, sent } from '../support/ledger-fixtures';
import { temporaryFolder } from '../support/temporary-folder';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** Runs as another user of the machine; only root can change the user. */
async function asAnother<T>(work: () => Promise<T>, uid = NOBODY): Promise<T> {
  process.setegid?.(NOBODY);
  process.seteuid?.(uid);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

(isRoot ? describe : describe.skip)('a store of another user', () => {
  let store: FolderStore;

  beforeEach(async () => {
    const folder = await temporaryFolder();
    await chmod(folder, 0o755);
    store = await openStore(join(folder, 'store'));
    await store.ledger.intend(ADDRESS, intent());
  });

  const openToOthers = async (folderMode: number) => {
    for (const name of ['', ...(await readdir(store.folder, { recursive: true }))]) {
      await chmod(join(store.folder, name), name.endsWith('.json') ? 0o644 : folderMode);
    }
  };

  it('is opened if this user may write, even if its files may not be linked', async () => {
    await openToOthers(0o777);
    const another = await asAnother(() => openStore(store.folder));
    expect(another.id).toBe(store.id);
    expect(await asAnother(() => another.ledger.beginSending(ADDRESS, 1, sent()))).toBe(true);
  });

  it('stores bytes that another user has stored', async () => {
    const bytes = Buffer.from('a picture');
    const description = { mediaType: 'image/png', durationSeconds: null, width: 1, height: 1 };
    const asset = await store.assets.putBytes(bytes, description);
    await openToOthers(0o777);
    const another = await asAnother(() => openStore(store.folder));
    expect(await asAnother(() => another.assets.putBytes(bytes, description))).toEqual(asset);
    expect(await asAnother(() => another.assets.readBytes(asset))).toEqual(bytes);
    expect(await store.assets.has(asset)).toBe(true);
  });

  it('can be read if this user may not write; a write says who may', async () => {
    await openToOthers(0o755);
    const another = await asAnother(() => openStore(store.folder));
    const writing = asAnother(() => another.ledger.beginSending(ADDRESS, 1, sent()));
    await expect(writing).rejects.toThrow(/EACCES.*belongs to root \(0\), group root \(0\), mode 0755, .*chgrp/s);
    await expect(writing).rejects.toMatchObject({ code: 'EACCES' });
  });

  it('says so to a user with a number and no name, as in a container', async () => {
    await openToOthers(0o755);
    const another = await asAnother(() => openStore(store.folder), 54_321);
    const writing = asAnother(() => another.ledger.beginSending(ADDRESS, 1, sent()), 54_321);
    await expect(writing).rejects.toThrow(/EACCES.*belongs to root \(0\).* runs as 54321;/s);
    await expect(writing).rejects.toMatchObject({ code: 'EACCES' });
    await chmod(join(store.folder, 'ledger/film/dawn/1/intent.json'), 0o600);
    await expect(asAnother(() => another.ledger.take(ADDRESS), 54_321)).rejects.toThrow(UnreadableRecord);
  });

  it('is not replaced by another ledger if this user may not even read the folder', async () => {
    const opening = asAnother(() => openStore(store.folder));
    await expect(opening).rejects.toThrow(/belongs to root \(0\).*another ledger, and Dailies would pay again/is);
    await expect(opening).rejects.not.toThrow('set DAILIES_STORE to another folder');
  });

  it('is not created in a folder that this user may not write to', async () => {
    const folder = join(await temporaryFolder(), 'empty');
    await mkdir(folder);
    await chmod(join(folder, '..'), 0o755);
    const opening = asAnother(() => openStore(folder));
    await expect(opening).rejects.toThrow(/may not write there: .*mode 0755.*set DAILIES_STORE to another folder/s);
  });
});
