import { createHash } from 'node:crypto';
import promises, { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type AssetRef } from '../../contracts/asset';
import { beginHash, openStore, type FolderStore } from '../../store';
import { temporaryFolder } from '../support/temporary-folder';

const PLAIN = { mediaType: 'text/plain', durationSeconds: null, width: null, height: null };

describe('assets', () => {
  let store: FolderStore;
  let folder: string;

  beforeEach(async () => {
    folder = await temporaryFolder();
    store = await openStore(join(folder, 'store'));
  });

  const partsLeft = () => readdir(join(store.folder, 'parts')).catch(() => []);

  it('names bytes by their hash and gives them back', async () => {
    const asset = await store.assets.putBytes(Buffer.from('light'), PLAIN);
    expect(asset).toEqual({ ...PLAIN, sizeBytes: 5, sha256: createHash('sha256').update('light').digest('hex') });
    expect(await text(store.assets.open(asset))).toBe('light');
    expect(await store.assets.has(asset)).toBe(true);
  });

  it('stores equal bytes once, whichever process writes them', async () => {
    const path = join(folder, 'light.txt');
    await writeFile(path, 'light');
    const [a, b] = await Promise.all([
      store.assets.putBytes(Buffer.from('light'), PLAIN),
      store.assets.putFile(path, () => Promise.resolve(PLAIN)),
    ]);
    expect(a).toEqual(b);
    expect(await readdir(join(store.folder, 'assets', a.sha256.slice(0, 2)))).toHaveLength(1);
    expect(await partsLeft()).toEqual([]);
    expect(await readFile(path, 'utf8')).toBe('light');
  });

  it('makes no asset of bytes that its description refuses', async () => {
    const part = await store.assets.newPart('film');
    await writeFile(part, '<html>');
    await expect(store.assets.commitPart(part, () => Promise.reject(new Error('no film')))).rejects.toThrow('no film');
    expect(await readdir(join(store.folder, 'assets')).catch(() => [])).toEqual([]);
    expect(await partsLeft()).toEqual([]);
  });

  it('makes no asset of a part whose length differs from what its writer has hashed', async () => {
    const part = await store.assets.newPart('take');
    await writeFile(part, 'lig');
    const hash = beginHash();
    hash.add(Buffer.from('light'));
    const committed = store.assets.commitPart(part, () => Promise.resolve(PLAIN), hash.end());
    await expect(committed).rejects.toThrow('5 bytes were written to a part file, but its size is 3');
    expect(await partsLeft()).toEqual([]);
  });

  it('leaves no part file if bytes cannot be written or read', async () => {
    const full = () => Promise.reject(new Error('disk full'));
    await expect(store.assets.create('film', full, () => Promise.resolve(PLAIN))).rejects.toThrow('disk full');
    await expect(store.assets.putFile(join(folder, 'nowhere'), () => Promise.resolve(PLAIN))).rejects.toThrow('ENOENT');
    expect(await partsLeft()).toEqual([]);
  });

  it('stores a read-only file as writable, so that any process can flush it', async () => {
    const path = join(folder, 'light.txt');
    await writeFile(path, 'light');
    await chmod(path, 0o444);
    const asset = await store.assets.putFile(path, () => Promise.resolve(PLAIN));
    expect((await stat(store.assets.shownPath(asset))).mode & 0o777).toBe(0o600);
  });

  it('removes part files untouched for two days, and nothing else', async () => {
    const [old, young] = [await store.assets.newPart('take'), await store.assets.newPart('take')];
    const scratch = join(store.folder, 'parts', '.film-x1');
    await mkdir(scratch);
    await writeFile(join(scratch, 'piece.mp4'), 'piece');
    await writeFile(`${old}.etag`, '"x"');
    for (const [path, days] of [
      [old, 3],
      [`${old}.etag`, 3],
      [scratch, 3],
      [young, 1],
    ] as const) {
      const touched = new Date(Date.now() - days * 24 * 3_600_000);
      await utimes(path, touched, touched);
    }
    await Promise.all([store.assets.sweepParts(), store.assets.sweepParts()]);
    expect(await partsLeft()).toEqual([basename(young)]);
  });

  /** Stores an old asset. Its removal is killed after the asset was moved away. */
  async function halfRemoved(): Promise<{ readonly asset: AssetRef; readonly old: Date }> {
    const asset = await store.assets.putBytes(Buffer.from('light'), PLAIN);
    const old = new Date(Date.now() - 3 * 24 * 3_600_000);
    await utimes(store.assets.shownPath(asset), old, old);
    const rm = jest.spyOn(promises, 'rm').mockRejectedValueOnce(new Error('killed'));
    await expect(store.assets.remove(asset, new Date())).rejects.toThrow('killed');
    rm.mockRestore();
    return { asset, old };
  }

  it('puts back an asset whose removal was killed after it had moved the asset away', async () => {
    const { asset } = await halfRemoved();
    expect(await store.assets.has(asset)).toBe(false);
    await store.assets.sweepParts();
    expect(await text(store.assets.open(asset))).toBe('light');
    expect(await partsLeft()).toEqual([]);
  });

  it('keeps an asset that was stored again after a killed removal', async () => {
    const { asset, old } = await halfRemoved();
    await store.assets.putBytes(Buffer.from('light'), PLAIN);
    await store.assets.sweepParts();
    expect((await promises.stat(store.assets.shownPath(asset))).mtimeMs).toBeGreaterThan(old.getTime() + 1000);
    expect(await partsLeft()).toEqual([]);
  });

  it('can sweep a store that has never had a part', async () => {
    await store.assets.sweepParts();
    expect(await partsLeft()).toEqual([]);
  });

  it('does not take a shorter file for the asset', async () => {
    const asset = await store.assets.putBytes(Buffer.from('light'), PLAIN);
    await writeFile(store.assets.shownPath(asset), 'lig');
    expect(await store.assets.has(asset)).toBe(false);
    expect(await store.assets.putBytes(Buffer.from('light'), PLAIN)).toEqual(asset);
    expect(await store.assets.has(asset)).toBe(true);
  });

  it('finds the parts of one label, the largest first', async () => {
    const [small, large] = [await store.assets.newPart('take'), await store.assets.newPart('take')];
    await store.assets.newPart('other');
    await writeFile(small, '1');
    await writeFile(large, '12345');
    await writeFile(`${large}.etag`, '"x"');
    expect(await store.assets.leftParts('take')).toEqual([
      { path: large, sizeBytes: 5 },
      { path: small, sizeBytes: 1 },
    ]);
  });

  it('exports copies, so that edits do not change the store', async () => {
    const asset = await store.assets.putBytes(Buffer.from('light'), PLAIN);
    const copy = join(folder, 'out', 'deep', 'light.txt');
    await store.assets.copyTo(asset, copy);
    expect(await readdir(join(folder, 'out', 'deep'))).toEqual(['light.txt']);
    expect((await stat(copy)).ino).not.toBe((await stat(store.assets.shownPath(asset))).ino);
    await writeFile(copy, 'edited');
    expect(await text(store.assets.open(asset))).toBe('light');
  });

  it('frees older bytes, and none that were put since, even if they were already there', async () => {
    const asset = await store.assets.putBytes(Buffer.from('light'), PLAIN);
    const old = new Date(Date.now() - 60_000);
    await utimes(store.assets.shownPath(asset), old, old);
    const before = new Date();
    await store.assets.putBytes(Buffer.from('light'), PLAIN);
    expect(await store.assets.remove(asset, before)).toBe(false);
    expect(await store.assets.has(asset)).toBe(true);

    await utimes(store.assets.shownPath(asset), old, old);
    expect(await store.assets.remove(asset, before)).toBe(true);
    expect(await store.assets.has(asset)).toBe(false);
    expect(await store.assets.remove(asset, before)).toBe(false);
    expect(await partsLeft()).toEqual([]);
  });

  it('never frees bytes that are being put in the same moment', async () => {
    const asset = await store.assets.putBytes(Buffer.from('light'), PLAIN);
    const path = store.assets.shownPath(asset);
    const old = new Date(Date.now() - 60_000);
    for (let round = 0; round < 100; round += 1) {
      await utimes(path, old, old);
      const before = new Date();
      await Promise.all([
        store.assets.remove(asset, before),
        store.assets.putBytes(Buffer.from('light'), PLAIN),
        store.assets.remove(asset, before),
      ]);
      expect(await store.assets.has(asset)).toBe(true);
    }
  });

  it('leaves no temporary file if a copy cannot be put in its place', async () => {
    const asset = await store.assets.putBytes(Buffer.from('light'), PLAIN);
    await mkdir(join(folder, 'out', 'taken'), { recursive: true });
    await expect(store.assets.copyTo(asset, join(folder, 'out', 'taken'))).rejects.toThrow();
    expect(await readdir(join(folder, 'out'))).toEqual(['taken']);
  });
});
