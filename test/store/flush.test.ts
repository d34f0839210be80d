import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AssetRef } from '../../contracts/asset';
import { openStore, type FolderStore } from '../../store';
import { readBackup, writeBackup } from '../../store/backup/backup';
import { type FlushedDisk, watchFlushes } from '../support/flushed-disk';
import { ADDRESS, AT, intent, sent, settled } from '../support/ledger-fixtures';

const CLIP: Omit<AssetRef, 'sha256' | 'sizeBytes'> = {
  mediaType: 'video/mp4',
  durationSeconds: 4,
  width: 640,
  height: 360,
};
const describeClip = () => Promise.resolve(CLIP);

/** All records of a take, in the order in which they are written. */
const LIFE: readonly [string, (store: FolderStore) => Promise<unknown>][] = [
  ['the intent', ({ ledger }) => ledger.intend(ADDRESS, intent())],
  ['the right to send', ({ ledger }) => ledger.beginSending(ADDRESS, 1, sent())],
  [
    'that it is unclear',
    ({ ledger }) => ledger.endSending(ADDRESS, 1, { kind: 'unclear', record: { reason: '', at: AT } }),
  ],
  [
    'a decision',
    ({ ledger }) => ledger.decide(ADDRESS, 1, { kind: 'resubmit', by: 'person', afterSending: 1, at: AT }),
  ],
  ['the right to send again', ({ ledger }) => ledger.beginSending(ADDRESS, 2, sent())],
  [
    'the task id',
    ({ ledger }) => ledger.endSending(ADDRESS, 2, { kind: 'accepted', record: { taskId: 'task-1', at: AT } }),
  ],
  ['its end', ({ ledger }) => ledger.settle(ADDRESS, settled('completed'))],
  [
    'its output',
    async ({ assets, ledger }) => ledger.noteOutput(ADDRESS, 'task-1', output(await put(assets, 'first'))),
  ],
  [
    'its output again',
    async ({ assets, ledger }) => ledger.noteOutput(ADDRESS, 'task-1', output(await put(assets, 'second'))),
  ],
];

const put = (assets: FolderStore['assets'], text: string) => assets.putBytes(Buffer.from(text), CLIP);
const output = (asset: AssetRef) => ({ asset, firstFrame: null, lastFrame: null, warnings: [] });

describe('a power cut', () => {
  let disk: FlushedDisk;
  let store: FolderStore;

  beforeEach(async () => {
    disk = await watchFlushes();
    store = await openStore(join(disk.folder, 'deep', 'store'));
  });

  afterEach(() => disk.close());

  /** The store as the next process finds it. */
  const afterwards = async (): Promise<FolderStore> => openStore(join(await disk.cutPower(), 'deep', 'store'));

  it('loses unflushed data, so that these tests can fail', async () => {
    await writeFile(join(store.folder, 'ledger.json'), '{}');
    await mkdir(join(store.folder, 'made'));
    expect(await readdir(join(await disk.cutPower(), 'deep/store'))).toEqual(['store-place.json', 'store.json']);
  });

  it('loses no record of a take once the ledger call has returned, whenever it happens', async () => {
    for (const [what, write] of LIFE) {
      expect([what, await write(store)]).not.toContain(false);
      const left = await afterwards();
      expect([what, left.id]).toEqual([what, store.id]);
      expect([what, await left.ledger.take(ADDRESS)]).toEqual([what, await store.ledger.take(ADDRESS)]);
    }
  });

  it('loses no right to send, so that it is not given twice', async () => {
    await store.ledger.intend(ADDRESS, intent());
    await store.ledger.beginSending(ADDRESS, 1, sent());
    expect(await (await afterwards()).ledger.beginSending(ADDRESS, 1, sent())).toBe(false);
  });

  it('loses no first take of many shots that start at once while the folders above them are being flushed', async () => {
    disk.slowDown(store.folder, 500);
    const begin = async (shotId: string): Promise<void> => {
      const address = { ...ADDRESS, shotId };
      await store.ledger.intend(address, intent());
      expect(await (await afterwards()).ledger.take(address)).toBeDefined();
    };
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(begin));
  });

  it('loses nothing in folders whose creator was killed before it flushed them', async () => {
    await mkdir(join(store.folder, 'ledger/film/dawn/1'), { recursive: true });
    await store.ledger.intend(ADDRESS, intent());
    expect(await (await afterwards()).ledger.take(ADDRESS)).toEqual(await store.ledger.take(ADDRESS));
  });

  it('loses nothing in folders that were removed and are being flushed again', async () => {
    await store.ledger.intend(ADDRESS, intent());
    await rm(join(store.folder, 'ledger/film'), { recursive: true });
    disk.slowDown(join(store.folder, 'ledger'), 500);
    const begin = async (take: number): Promise<void> => {
      const address = { ...ADDRESS, take };
      await store.ledger.intend(address, intent());
      expect(await (await afterwards()).ledger.take(address)).toBeDefined();
    };
    await Promise.all([1, 2, 3, 4].map(begin));
  });

  it('loses no asset, however it came into the store', async () => {
    const file = join(disk.folder, 'clip.mp4');
    await writeFile(file, 'of a person');
    const part = await store.assets.newPart('take');
    await writeFile(part, 'downloaded');
    const assets = [
      await put(store.assets, 'given'),
      await store.assets.putFile(file, describeClip),
      await store.assets.create('film', (path) => writeFile(path, 'assembled'), describeClip),
      await store.assets.commitPart(part, describeClip),
    ];
    const left = await afterwards();
    const texts = assets.map((asset) => readFile(left.assets.shownPath(asset), 'utf8'));
    expect(await Promise.all(texts)).toEqual(['given', 'of a person', 'assembled', 'downloaded']);
  });

  it('loses no backup', async () => {
    await store.ledger.intend(ADDRESS, intent());
    const written = await writeBackup(store.folder, join(disk.folder, 'backups/ledger.backup'));
    const keys: string[] = [];
    await readBackup(join(await disk.cutPower(), 'backups/ledger.backup'), ({ key }) => void keys.push(key));
    expect(keys).toHaveLength(written);
  });
});
