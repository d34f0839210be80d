import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashOf, type KeptPieces, openStore, type FolderStore } from '../../../store';
import { temporaryFolder } from '../../support/temporary-folder';

describe('pieces that are kept for a film', () => {
  let store: FolderStore;
  let pieces: KeptPieces;
  let scratch: string;
  beforeEach(async () => {
    const folder = await temporaryFolder();
    [store, scratch] = [await openStore(join(folder, 'store')), join(folder, 'store', 'scratch')];
    await mkdir(scratch);
    pieces = store.films.pieces('film.one');
    await pieces.open();
  });

  const write = (text: string) => (path: string) => writeFile(path, text);
  const left = async (): Promise<readonly string[]> =>
    (await readdir(join(store.folder, 'pieces'), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  const linked = async (recipe: string, of = pieces): Promise<string | undefined> => {
    const path = join(scratch, 'piece.mov');
    await rm(path, { force: true });
    return (await of.link(recipe, path)) ? readFile(path, 'utf8') : undefined;
  };

  it('are found by their recipe once they are complete', async () => {
    await pieces.keep('red', async (path) => {
      await writeFile(path, 'half');
      expect(await linked('red')).toBeUndefined();
      await writeFile(path, 'whole');
    });
    expect(await linked('red')).toBe('whole');
    expect(await linked('blue')).toBeUndefined();
  });

  it('are written once', async () => {
    await pieces.keep('red', write('first'));
    await pieces.keep('red', () => Promise.reject(new Error('was rendered again')));
    expect(await linked('red')).toBe('first');
  });

  it('leave nothing if they fail', async () => {
    const half = async (path: string): Promise<void> => {
      await writeFile(path, 'half');
      throw new Error('no ffmpeg');
    };
    await expect(pieces.keep('red', half)).rejects.toThrow('no ffmpeg');
    expect(await linked('red')).toBeUndefined();
    expect(await left()).toEqual([]);
  });

  it('belong to one production, and are removed only with its other pieces', async () => {
    const others = store.films.pieces('film');
    await others.open();
    await pieces.keep('red', write('red'));
    await pieces.keep('blue', write('blue'));
    await others.keep('red', write('another red'));
    await pieces.close();
    expect(await linked('red')).toBeUndefined();
    expect(await linked('red', others)).toBe('another red');
    expect(await left()).toHaveLength(1);
  });

  it('remain for a process that has linked them', async () => {
    await pieces.keep('red', write('red'));
    await pieces.link('red', join(scratch, 'taken.mov'));
    await pieces.close();
    expect(await readFile(join(scratch, 'taken.mov'), 'utf8')).toBe('red');
  });

  it('are not kept once the production has ended, even if they were under way', async () => {
    await pieces.keep('red', async (path) => {
      await writeFile(path, 'half');
      await pieces.close();
    });
    let isRendered = false;
    await pieces.keep('blue', () => Promise.resolve((isRendered = true)));
    expect(isRendered).toBe(false);
    expect(await readdir(join(store.folder, 'pieces'))).toEqual([]);
  });

  it('are removed if no other has been added for two days', async () => {
    await pieces.keep('red', write('red'));
    const fresh = store.films.pieces('fresh');
    await fresh.open();
    await fresh.keep('blue', write('blue'));
    const longAgo = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000);
    await utimes(join(store.folder, 'pieces', hashOf('film.one').slice(0, 16)), longAgo, longAgo);
    await store.films.sweepPieces();
    expect(await linked('red')).toBeUndefined();
    expect(await linked('blue', fresh)).toBe('blue');
  });
});
