import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createKeptPieces, type KeptPieces, openStore, type Store } from '../../store';
import { temporaryFolder } from '../support/temporary-folder';

describe('pieces that are kept for a film', () => {
  let store: Store;
  let pieces: KeptPieces;
  beforeEach(async () => {
    store = await openStore(join(await temporaryFolder(), 'store'));
    pieces = createKeptPieces(store.assets, 'film.one');
  });

  const left = (): Promise<string[]> => readdir(join(store.folder, 'parts'));

  it('are found by their recipe once they are whole', async () => {
    await pieces.keep('red', async (part) => {
      await writeFile(part, 'half');
      expect(await pieces.find('red')).toBeUndefined();
      await writeFile(part, 'whole');
    });
    expect(await readFile((await pieces.find('red'))!, 'utf8')).toBe('whole');
    expect(await pieces.find('blue')).toBeUndefined();
  });

  it('leave nothing where they fail', async () => {
    await expect(pieces.keep('red', () => Promise.reject(new Error('no ffmpeg')))).rejects.toThrow('no ffmpeg');
    expect(await pieces.find('red')).toBeUndefined();
    expect(await left()).toEqual([]);
  });

  it('are of one production, and removed with its others alone', async () => {
    const others = createKeptPieces(store.assets, 'film');
    for (const [kept, recipe] of [
      [pieces, 'red'],
      [pieces, 'blue'],
      [others, 'red'],
    ] as const) {
      await kept.keep(recipe, (part) => writeFile(part, recipe));
    }
    await pieces.clear();
    expect(await pieces.find('red')).toBeUndefined();
    expect(await others.find('red')).toBeDefined();
    expect(await left()).toHaveLength(1);
  });
});
