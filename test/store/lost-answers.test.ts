import fs from 'node:fs/promises';
import { join } from 'node:path';
import { openStore, type FolderStore } from '../../store';
import { ADDRESS, intent, sent } from '../support/ledger-fixtures';
import { temporaryFolder } from '../support/temporary-folder';

/** NFS cannot be mounted everywhere, so here the system call succeeds but returns the error that NFS would. */
describe('a file system that loses answers', () => {
  let store: FolderStore;
  const { link } = fs;

  beforeEach(async () => {
    store = await openStore(await temporaryFolder());
    await store.ledger.intend(ADDRESS, intent());
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const failing = (code: string): Error => Object.assign(new Error(`${code}: link`), { code });
  const begin = (): Promise<boolean> => store.ledger.beginSending(ADDRESS, 1, sent());

  it.each(['EEXIST', 'EIO', 'ESTALE', 'EPERM'])('has created the record although it answers %s', async (code) => {
    jest.spyOn(fs, 'link').mockImplementation(async (from, to) => {
      await link(from, to);
      throw failing(code);
    });
    expect(await begin()).toBe(true);
    jest.restoreAllMocks();
    expect(await begin()).toBe(false);
  });

  it('has created no record if the name is taken, or if nothing was linked', async () => {
    jest.spyOn(fs, 'link').mockRejectedValueOnce(failing('EIO'));
    await expect(begin()).rejects.toThrow('EIO');
    expect(await begin()).toBe(true);
    expect(await begin()).toBe(false);
  });

  it('has created the record although the part file cannot be removed', async () => {
    jest.spyOn(fs, 'unlink').mockRejectedValue(failing('EIO'));
    jest.spyOn(fs, 'rm').mockRejectedValue(failing('EIO'));
    expect(await begin()).toBe(true);
    expect(await fs.readdir(join(store.folder, 'ledger/film/dawn/1'))).toHaveLength(3);
    expect((await store.ledger.take(ADDRESS))?.sendings).toHaveLength(1);
  });
});
