import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSource } from '../../studio/files/source-file';
import { temporaryFolder } from '../support/temporary-folder';

describe('a new production file', () => {
  it('is written once, and never over another file', async () => {
    const path = join(await temporaryFolder(), 'films', 'film.yaml');
    await createSource(path, 'shots: []\n');
    await createSource(path, 'shots: []\n');
    await expect(createSource(path, 'other\n')).rejects.toThrow('exists already with other contents');
    expect(readFileSync(path, 'utf8')).toBe('shots: []\n');
  });

  it('is refused for the right reason if its folder is a file', async () => {
    const folder = join(await temporaryFolder(), 'films');
    writeFileSync(folder, 'a file');
    await expect(createSource(join(folder, 'film.yaml'), 'shots: []\n')).rejects.toThrow('cannot be written (EEXIST)');
  });
});
