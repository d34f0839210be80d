import fs from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { holdClaimed, isHeld, openStore, restoredMark, ledgerState, type FolderStore } from '../../../store';
import { writeBackup } from '../../../store/backup/backup';
import { adoptCopy, copyInWords, refuseCopy, storeStatus, takeOverMoved } from '../../../store/backup/copies';
import { clearRestored, restoreBackup } from '../../../store/backup/restore';
import { address, book } from '../../books/store-with-takes';
import { recordsOf } from '../../support/store-records';
import { temporaryFolder } from '../../support/temporary-folder';

const MARK = 'store-place.json';

describe('the place of a store', () => {
  let folder: string;
  let store: FolderStore;
  beforeEach(async () => {
    folder = join(await temporaryFolder(), 'store');
    store = await openStore(folder);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  async function copied(name = 'copy'): Promise<string> {
    const copy = join(folder, '..', name);
    await fs.cp(folder, copy, { recursive: true, preserveTimestamps: true });
    return copy;
  }

  async function changeMark(change: object): Promise<void> {
    const mark = JSON.parse(await fs.readFile(join(folder, MARK), 'utf8')) as object;
    await fs.writeFile(join(folder, MARK), JSON.stringify({ ...mark, ...change }));
  }

  const placeOf = async (at: string): Promise<string> => (await storeStatus(at)).place;

  it('differs from that of a copy, even if the copy has been opened', async () => {
    const copy = await copied();
    await openStore(copy);
    expect(await storeStatus(copy)).toMatchObject({ id: store.id, place: 'copy', marked: { folder } });
    await expect(refuseCopy(copy)).rejects.toThrow(/is a copy.*dailies store --moved.*dailies store --adopt-copy/);
    await refuseCopy(folder);
    expect(await placeOf(folder)).toBe('own');
  });

  it.each<[string, (moved: string) => Promise<unknown>]>([
    ['is renamed', (moved) => fs.rename(folder, moved)],
    ['is reached through a symbolic link', (moved) => fs.symlink(folder, moved)],
    [
      'has other rights and change times',
      async (moved) => {
        await fs.chmod(join(folder, 'store.json'), 0o660);
        await fs.utimes(join(folder, 'store.json'), 1, 1);
        await fs.rename(folder, moved);
      },
    ],
  ])('is the same if the store %s', async (_, move) => {
    const moved = join(folder, '..', 'moved');
    await move(moved);
    await openStore(moved);
    await refuseCopy(moved);
    expect(await placeOf(moved)).toBe('own');
  });

  it('differs if a new volume has given the file the same number', async () => {
    await changeMark({ born: '1000000000' });
    expect(await placeOf(folder)).toBe('copy');
  });

  it('depends on the number alone if one side has no birth time', async () => {
    await changeMark({ born: null });
    expect(await placeOf(folder)).toBe('own');
  });

  it('depends on the number alone on a system that derives the birth time from the change time', async () => {
    await changeMark({ born: '1000000000' });
    const { stat } = fs;
    jest.spyOn(fs, 'stat').mockImplementation((async (path: string, options: { bigint: true }) => {
      const real = await stat(path, options);
      return Object.assign(Object.create(real) as typeof real, { birthtimeNs: real.ctimeNs });
    }) as typeof fs.stat);
    expect(await placeOf(folder)).toBe('own');
  });

  it('is marked when a store of an earlier version is opened, but not when it is only read', async () => {
    await fs.rm(join(folder, MARK));
    expect(await placeOf(folder)).toBe('unmarked');
    const older = await copied('older');
    expect(await placeOf(older)).toBe('unmarked');
    await Promise.all([openStore(folder), openStore(folder), openStore(older)]);
    expect([await placeOf(folder), await placeOf(older)]).toEqual(['own', 'own']);
  });

  it('is not judged by a mark that cannot be read', async () => {
    await fs.writeFile(join(folder, MARK), '{"ino');
    await openStore(folder);
    expect(await copyInWords(folder)).toBeUndefined();
  });

  it.each([
    ['FUSE', 0x65735546],
    ['9p', 0x01021997],
    ['SMB', 0xfe534d42],
    ['SMB, as a number with a sign', 0xfe534d42 | 0],
  ])('is neither marked nor judged on a file system that numbers files anew (%s)', async (_, type) => {
    const copy = await copied();
    const real = await fs.statfs(folder);
    jest.spyOn(fs, 'statfs').mockResolvedValue(Object.assign(Object.create(real) as typeof real, { type }));
    expect(await copyInWords(copy)).toBeUndefined();
    expect(await placeOf(copy)).toBe('unchecked');
    const fresh = join(folder, '..', 'fresh');
    await openStore(fresh);
    expect(await fs.readdir(fresh)).toEqual(['store.json']);
  });

  it('is judged on a file system whose type is a signed number', async () => {
    const copy = await copied();
    const real = await fs.statfs(folder);
    const signed = Object.assign(Object.create(real) as typeof real, { type: 0x9123683e | 0 });
    jest.spyOn(fs, 'statfs').mockResolvedValue(signed);
    expect(await placeOf(copy)).toBe('copy');
  });

  it('is taken over beside the folder that a crash left before another takeover began', async () => {
    const copy = await copied();
    await fs.mkdir(join(copy, 'restored', '2026-01-01'), { recursive: true });
    await takeOverMoved(copy);
    await refuseCopy(copy);
    expect(await (await openStore(copy)).restores.openGap()).toMatchObject({ copy: true });
  });

  it('is marked by a restore, into an empty folder and over a copy', async () => {
    const file = join(folder, '..', 'backup');
    await writeBackup(store.folder, file);
    const [fresh, copy] = [join(folder, '..', 'fresh'), await copied()];
    for (const into of [fresh, copy]) {
      await restoreBackup(into, file, { nothingSentSince: true });
      await openStore(into);
      expect(await storeStatus(into)).toMatchObject({ id: store.id, place: 'own', marked: { folder: into } });
    }
  });

  describe('whose original is gone', () => {
    it('keeps its id, and holds takes that may have been sent since, until a person decides', async () => {
      await book(store, address('dawn'), 'settled');
      await book(store, address('noon'), 'intended');
      const copy = await copied();
      expect(await takeOverMoved(copy)).toMatchObject({ id: store.id, held: 1 });
      await refuseCopy(copy);
      const taken = await openStore(copy);
      const { id, ledger } = taken;
      expect(id).toBe(store.id);
      const [noon, dawn] = [(await ledger.take(address('noon')))!, (await ledger.take(address('dawn')))!];
      expect(ledgerState(noon)).toMatchObject({ is: 'unclear', reason: expect.stringContaining('copy made on') });
      expect(ledgerState(dawn).is).toBe('settled');
      expect(await taken.restores.openGap()).toMatchObject({ copy: true });
      expect(await clearRestored(taken)).toBe(1);
      expect(await taken.restores.openGap()).toBeUndefined();
      expect(ledgerState((await ledger.take(address('noon')))!).is).toBe('sendable');
    });

    it('releases its takes and those of an open restore by one statement', async () => {
      await book(store, address('noon'), 'intended');
      const file = join(folder, '..', 'backup');
      await writeBackup(folder, file);
      await restoreBackup(folder, file, { nothingSentSince: false });
      const copy = await copied();
      await book(await openStore(copy), address('dusk'), 'intended');
      await takeOverMoved(copy);
      const taken = await openStore(copy);
      expect(await clearRestored(taken)).toBe(2);
      expect(await taken.restores.openGap()).toBeUndefined();
    });

    it('is no longer a copy, but a copy of it is', async () => {
      const copy = await copied();
      await takeOverMoved(copy);
      await expect(takeOverMoved(copy)).rejects.toThrow('is not known to be a copy');
      const second = join(folder, '..', 'second');
      await fs.cp(copy, second, { recursive: true });
      expect(await placeOf(second)).toBe('copy');
    });
  });

  describe('whose original goes on', () => {
    it('gets a new id; open takes wait for a person, and new takes are sent', async () => {
      await book(store, address('noon'), 'intended');
      const copy = await copied();
      const { id, held } = await adoptCopy(copy);
      expect(held).toBe(1);
      expect(id).not.toBe(store.id);
      const own = await openStore(copy);
      expect(own.id).toBe(id);
      expect(isHeld((await own.ledger.take(address('noon')))!)).toBe(true);
      expect(await own.restores.openGap()).toBeUndefined();
      // The original may have sent the take, and no statement about a backup covers that.
      expect(await clearRestored(own)).toBeUndefined();
      expect(isHeld((await own.ledger.take(address('noon')))!)).toBe(true);
      await refuseCopy(copy);
      expect((await openStore(folder)).id).toBe(store.id);
    });

    it('keeps its open takes held if a person says of a later restore that nothing was sent', async () => {
      await book(store, address('noon'), 'intended');
      const copy = await copied();
      await adoptCopy(copy);
      const file = join(folder, '..', 'backup');
      await book(await openStore(copy), address('dusk'), 'intended');
      await writeBackup(copy, file);
      const restored = join(folder, '..', 'restored');
      await restoreBackup(restored, file, { nothingSentSince: false });
      const own = await openStore(restored);
      expect(await clearRestored(own)).toBe(1);
      expect(await own.restores.openGap()).toBeUndefined();
      expect(isHeld((await own.ledger.take(address('noon')))!)).toBe(true);
      expect(isHeld((await own.ledger.take(address('dusk')))!)).toBe(false);
    });

    it('keeps a take held that an earlier restore holds as well, and releases those of the restore alone', async () => {
      await book(store, address('noon'), 'intended');
      const file = join(folder, '..', 'backup');
      await writeBackup(folder, file);
      await restoreBackup(folder, file, { nothingSentSince: false });
      const copy = await copied();
      await adoptCopy(copy);
      const own = await openStore(copy);
      await sleep(2);
      await book(own, address('dusk'), 'intended', restoredMark(await own.restores.openGap(), []));
      await holdClaimed(own.ledger, address('dusk'), (await own.ledger.take(address('dusk')))!);
      expect(await clearRestored(own)).toBe(1);
      expect(isHeld((await own.ledger.take(address('noon')))!)).toBe(true);
      expect(isHeld((await own.ledger.take(address('dusk')))!)).toBe(false);
      expect(await clearRestored(await openStore(folder))).toBe(1);
    });

    it('leaves no gap if the first try was interrupted while it read the ledger', async () => {
      const copy = await copied();
      const at = new Date().toISOString();
      const name = at.replaceAll(':', '-');
      const gap = { name, backupAt: at, restoredAt: at, copy: true };
      await recordsOf({ folder: copy }).create(`restored/${name}/begun`, gap);
      await adoptCopy(copy);
      expect(await (await openStore(copy)).restores.openGap()).toBeUndefined();
    });

    it('is adopted by the same command if that was interrupted', async () => {
      const copy = await copied();
      const { rename } = fs;
      let left = 1;
      // The new id is written by the first replacement, the mark by the second.
      jest.spyOn(fs, 'rename').mockImplementation(async (...args) => {
        if (left === 0) throw Object.assign(new Error('EIO: lost power'), { code: 'EIO' });
        left -= 1;
        await rename(...args);
      });
      await expect(adoptCopy(copy)).rejects.toThrow('lost power');
      expect(await placeOf(copy)).toBe('copy');
      jest.restoreAllMocks();
      const { id } = await adoptCopy(copy);
      expect((await openStore(copy)).id).toBe(id);
      await refuseCopy(copy);
      expect(await (await openStore(copy)).restores.openGap()).toBeUndefined();
    });
  });
});
