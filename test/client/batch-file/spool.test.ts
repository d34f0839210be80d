import fs from 'node:fs';
import { readdir } from 'node:fs/promises';
import os from 'node:os';
import { openSpool } from '../../../client/batch-file/spool';
import { temporaryFolder } from '../../support/temporary-folder';

/** More than the stream's buffer holds. */
const LARGE = 'x'.repeat(1_000_000);

describe('a spool', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    jest.spyOn(os, 'tmpdir').mockReturnValue(folder);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('gives back its values in order, and leaves nothing', async () => {
    const spool = await openSpool<string>();
    for (const value of ['a', LARGE, 'b']) await spool.put(value);
    const read = [];
    for await (const value of spool.read()) read.push(value);
    expect(read).toEqual(['a', LARGE, 'b']);
    await spool.remove();
    expect(await readdir(folder)).toEqual([]);
  });

  it('reports a failed write at each later value, and leaves nothing', async () => {
    const { createWriteStream } = fs;
    // A descriptor that is open for reading only: the system refuses each write.
    const readOnly = { fd: fs.openSync('/dev/null', 'r') };
    jest.spyOn(fs, 'createWriteStream').mockImplementation((path) => createWriteStream(path, readOnly));
    const spool = await openSpool<string>();
    await expect(spool.put(LARGE)).rejects.toThrow('EBADF');
    await expect(spool.put(LARGE)).rejects.toThrow('EBADF');
    await spool.remove();
    expect(await readdir(folder)).toEqual([]);
  });
});
