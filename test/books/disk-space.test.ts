import { diskSpace, diskSpaceInWords } from '../../store/disk/disk-space';
import { temporaryFolder } from '../support/temporary-folder';

describe('disk space', () => {
  it('is enough if as much is free as needed, and not if less is', async () => {
    const folder = await temporaryFolder();
    expect((await diskSpace(folder, 1)).isEnough).toBe(true);
    const { isEnough, ...space } = await diskSpace(folder, Number.MAX_SAFE_INTEGER);
    expect(isEnough).toBe(false);
    expect(space.freeBytes).toBeGreaterThan(0);
    const words = diskSpaceInWords(folder, { isEnough, ...space });
    for (const part of [folder, String(space.freeBytes), String(space.neededBytes)]) expect(words).toContain(part);
  });

  it("is checked on the folder's file system", async () => {
    await expect(diskSpace('/nowhere/at/all')).rejects.toThrow('ENOENT');
  });
});
