import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ResultFiles } from '../../client/batch';
import { openOutFiles } from '../../client/records/out-files';
import { type AssetRef } from '../../contracts/asset';
import { type BegunBatch, openStore, type Store } from '../../store';
import { AT } from '../support/ledger-fixtures';
import { temporaryFolder } from '../support/temporary-folder';

const VIDEO = { mediaType: 'video/mp4', durationSeconds: 4, width: 854, height: 480 };

/** A prepared folder with a production, as an attacker would hand it on. */
describe('an out folder with links in it', () => {
  let store: Store;
  let folder: string;
  let elsewhere: string;
  let film: AssetRef;
  beforeEach(async () => {
    const base = await temporaryFolder();
    [folder, elsewhere] = [join(base, 'out'), join(base, 'elsewhere')];
    for (const one of [folder, elsewhere]) mkdirSync(one);
    store = await openStore(join(base, 'store'));
    film = await store.assets.putBytes(Buffer.from('the film'), VIDEO);
  });

  async function put(): Promise<readonly string[]> {
    const files = await openOutFiles(folder, store.assets);
    await files.putAsset('film.mp4', film);
    await files.putAsset('takes/dawn-take-1.mp4', film);
    await files.putText('manifest.json', '{}\n');
    return files.done();
  }
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  function expectAllInside(): void {
    expect(read('film.mp4')).toBe('the film');
    expect(read('takes/dawn-take-1.mp4')).toBe('the film');
    expect(read('manifest.json')).toBe('{}\n');
    for (const name of ['film.mp4', 'takes', 'takes/dawn-take-1.mp4', 'manifest.json', '.dailies-files.json']) {
      expect(lstatSync(join(folder, name)).isSymbolicLink()).toBe(false);
    }
  }

  it('writes nothing through links that lead nowhere yet', async () => {
    for (const name of ['film.mp4', 'manifest.json', 'takes', '.dailies-files.json']) {
      symlinkSync(join(elsewhere, name), join(folder, name));
    }
    expect(await put()).toHaveLength(4);
    expect(readdirSync(elsewhere)).toEqual([]);
    expectAllInside();
  });

  it('writes nothing through links to files and folders that are there, and moves the links aside', async () => {
    writeFileSync(join(elsewhere, 'letter.txt'), 'mine');
    mkdirSync(join(elsewhere, 'private'));
    for (const name of ['film.mp4', 'manifest.json', '.dailies-files.json']) {
      symlinkSync(join(elsewhere, 'letter.txt'), join(folder, name));
    }
    symlinkSync(join(elsewhere, 'private'), join(folder, 'takes'));
    const moved = await put();
    expect(moved).toContain(join(folder, 'takes.kept-1'));
    expect(readFileSync(join(elsewhere, 'letter.txt'), 'utf8')).toBe('mine');
    expect(readdirSync(join(elsewhere, 'private'))).toEqual([]);
    expectAllInside();
  });

  it('does not treat a link to the same bytes as its own file', async () => {
    await put();
    writeFileSync(join(elsewhere, 'same.mp4'), 'the film');
    const files = await openOutFiles(folder, store.assets);
    symlinkSync(join(elsewhere, 'same.mp4'), join(folder, 'copy.mp4'));
    await files.putAsset('copy.mp4', film);
    expect(lstatSync(join(folder, 'copy.mp4')).isSymbolicLink()).toBe(false);
  });

  it('overwrites no link when it moves a file aside', async () => {
    writeFileSync(join(folder, 'film.mp4'), 'a holiday');
    symlinkSync(join(elsewhere, 'nowhere'), join(folder, 'film.kept-1.mp4'));
    expect(await put()).toEqual([join(folder, 'film.kept-2.mp4')]);
    expect(lstatSync(join(folder, 'film.kept-1.mp4')).isSymbolicLink()).toBe(true);
  });

  it('does not block on a pipe in the place of a file', async () => {
    expect(spawnSync('mkfifo', [join(folder, 'film.mp4'), join(folder, '.dailies-files.json')]).status).toBe(0);
    await put();
    expectAllInside();
  });

  it('appends to no result list through a link, and truncates nothing behind it', async () => {
    // Without a line end, like a list that a crash truncated.
    writeFileSync(join(elsewhere, 'letter.txt'), 'mine');
    symlinkSync(join(elsewhere, 'letter.txt'), join(folder, 'results.jsonl'));
    symlinkSync(join(elsewhere, 'results.csv'), join(folder, 'results.csv'));
    const begun: BegunBatch = {
      run: 1,
      renderId: 'r',
      account: 'a',
      index: film,
      at: AT,
      parallel: 1,
      stopAfterFailures: null,
    };
    const end = { key: 'a', digest: 'd', state: 'failed', reason: 'no luck', parkedFor: null, take: 1 } as const;
    await store.batches.noteResults('shop', 1, 1, [{ ...end, taskId: null, credits: null, asset: null, at: AT }]);
    const files = await ResultFiles.open({ store, batchId: 'shop', begun, folder });
    expect(await files.append()).toBe(1);
    expect(readFileSync(join(elsewhere, 'letter.txt'), 'utf8')).toBe('mine');
    expect(readdirSync(elsewhere)).toEqual(['letter.txt']);
    expect(JSON.parse(read('results.jsonl'))).toMatchObject({ key: 'a', reason: 'no luck' });
  });
});
