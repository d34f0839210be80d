import fs from 'node:fs/promises';
import { join } from 'node:path';
import { openStore } from '../../store';
import { ADDRESS, intent } from '../support/ledger-fixtures';
import { temporaryFolder } from '../support/temporary-folder';

/** A file system without hard links cannot be mounted everywhere: here the system call answers as there. */
function withoutHardLinks(code: string): void {
  const refused = Object.assign(new Error(`${code}: operation not permitted, link`), { code });
  jest.spyOn(fs, 'link').mockRejectedValue(refused);
}

describe('a file system without hard links', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])('holds no store (%s), and says what to do', async (code) => {
    const folder = await temporaryFolder();
    withoutHardLinks(code);
    await expect(openStore(folder)).rejects.toThrow(`no hard links: ${code}); set DAILIES_STORE to another folder`);
    expect(await fs.readdir(folder)).toEqual([]);
  });

  it('refuses a store that was moved there, and leaves it unchanged', async () => {
    const folder = await temporaryFolder();
    await openStore(folder);
    withoutHardLinks('EPERM');
    const opening = openStore(folder);
    await expect(opening).rejects.toThrow(/no hard links: EPERM.*another ledger, and Dailies would pay again/);
    await expect(opening).rejects.not.toThrow('set DAILIES_STORE to another folder');
    expect(await fs.readdir(folder)).toEqual(['store-place.json', 'store.json']);
  });

  it('never gets half a record, since the ledger writes nothing there', async () => {
    const store = await openStore(await temporaryFolder());
    withoutHardLinks('EPERM');
    await expect(store.ledger.intend(ADDRESS, intent())).rejects.toThrow('EPERM');
    expect(await store.ledger.take(ADDRESS)).toBeUndefined();
  });

  it('is not assumed because of a file of another user, which Linux refuses to link', async () => {
    const folder = await temporaryFolder();
    const { id } = await openStore(folder);
    const { link } = fs;
    jest.spyOn(fs, 'link').mockImplementation(async (from, to) => {
      if (!String(from).endsWith('store.json')) return link(from, to);
      throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM', syscall: 'link' });
    });
    expect((await openStore(folder)).id).toBe(id);
    expect(await fs.readdir(folder)).toEqual(['store-place.json', 'store.json']);
  });

  it.each(['mkdir', 'open'])('is not assumed because the system forbids %s', async (syscall) => {
    const folder = join(await temporaryFolder(), 'store');
    const refused = Object.assign(new Error(`EPERM: operation not permitted, ${syscall}`), { code: 'EPERM', syscall });
    jest.spyOn(fs, syscall === 'mkdir' ? 'mkdir' : 'writeFile').mockRejectedValue(refused);
    await expect(openStore(folder)).rejects.toThrow('this user may not write there');
  });

  it('is not assumed because the system forbids reading the identity of a store', async () => {
    const folder = await temporaryFolder();
    await openStore(folder);
    const refused = Object.assign(new Error('EPERM: operation not permitted, open'), {
      code: 'EPERM',
      syscall: 'open',
    });
    jest.spyOn(fs, 'readFile').mockRejectedValue(refused);
    await expect(openStore(folder)).rejects.toThrow(/cannot be used by this user.*Dailies would pay again/s);
  });

  it('is not assumed because of a read-only folder', async () => {
    const folder = await temporaryFolder();
    const { id } = await openStore(folder);
    withoutHardLinks('EROFS');
    expect((await openStore(folder)).id).toBe(id);
  });
});
