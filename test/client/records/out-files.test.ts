import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openOutFiles } from '../../../client/records/out-files';
import { newStore } from '../../books/store-with-takes';
import { temporaryFolder } from '../../support/temporary-folder';

const TEXT = { mediaType: 'text/plain', durationSeconds: null, width: null, height: null };

describe('a folder that Dailies writes files to', () => {
  async function put(
    name: string,
  ): Promise<{ readonly path: string; readonly again: () => Promise<readonly string[]> }> {
    const [store, folder] = [await newStore(), await temporaryFolder()];
    const asset = await store.assets.putBytes(Buffer.from('one'), TEXT);
    const again = async (): Promise<readonly string[]> => {
      const files = await openOutFiles(folder, store.assets);
      await files.putAsset(name, asset);
      return files.done();
    };
    expect(await again()).toEqual([]);
    return { path: join(folder, name), again };
  }

  it('is not read again if a file looks unchanged', async () => {
    const { path, again } = await put('a.txt');
    const then = new Date(1_700_000_000_000);
    await utimes(path, then, then);
    expect(await again()).toEqual([]);
    // Only reading the file shows that it has changed.
    await writeFile(path, 'two');
    await utimes(path, then, then);
    expect(await again()).toEqual([]);
    expect(await readFile(path, 'utf8')).toBe('two');
  });

  it('keeps a file of the person that has the same size', async () => {
    const { path, again } = await put('a.txt');
    await writeFile(path, 'two');
    await utimes(path, new Date(), new Date(Date.now() + 5_000));
    expect(await again()).toEqual([expect.stringMatching(/a\.kept-1\.txt$/)]);
    expect(await readFile(path, 'utf8')).toBe('one');
  });
});
