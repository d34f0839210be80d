import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore, STORE_FORMAT } from '../../store';
import { temporaryFolder } from '../support/temporary-folder';

describe('store', () => {
  it('keeps its id, even if many processes open it at once for the first time', async () => {
    const folder = await temporaryFolder();
    const ids = (await Promise.all(Array.from({ length: 10 }, () => openStore(folder)))).map(({ id }) => id);
    expect(new Set([...ids, (await openStore(folder)).id]).size).toBe(1);
  });

  it('refuses a newer format and says what to do', async () => {
    const folder = await temporaryFolder();
    await openStore(folder);
    await writeFile(join(folder, 'store.json'), JSON.stringify({ format: STORE_FORMAT + 1, id: '0123456789ab' }));
    await expect(openStore(folder)).rejects.toThrow(/format 2.*update Dailies/);
  });

  it('refuses a folder whose identity is something else', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'store.json'), '{"name": "someone else"}');
    await expect(openStore(folder)).rejects.toThrow('DAILIES_STORE');
  });
});
