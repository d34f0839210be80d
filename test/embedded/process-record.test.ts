import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openProcessRecord } from '../../workers/embedded/process-record';
import { temporaryFolder } from '../support/temporary-folder';

describe("the record of a set's processes", () => {
  it('is empty if it is missing or was cut short', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'cut'), '[{"pid":');
    await expect(openProcessRecord(join(folder, 'missing'))).resolves.toBeDefined();
    await expect(openProcessRecord(join(folder, 'cut'))).resolves.toBeDefined();
  });

  it('is an error, not empty, if it cannot be read: its processes may still run', async () => {
    const file = join(await temporaryFolder(), 'processes');
    await mkdir(file);
    await expect(openProcessRecord(file)).rejects.toThrow('EISDIR');
  });
});
