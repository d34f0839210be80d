import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPrunes } from '../../../store/backup/prunes';
import { createFolderRecords, UnreadableRecord } from '../../../store/records';
import { temporaryFolder } from '../../support/temporary-folder';

describe('the record of a prune that has begun', () => {
  it.each([
    ['is cut short', '{"at":"2026-01-0'],
    ['has no end', '{"at":"2026-01-01T00:00:00.000Z"}'],
    ['has an end that is no time', '{"at":"2026-01-01T00:00:00.000Z","until":"soon"}'],
  ])('stops renders and prunes if it %s, and the error says what to do', async (_, text) => {
    const folder = await temporaryFolder();
    const file = join(folder, 'prunes', 'begun-2.json');
    await mkdir(join(folder, 'prunes'));
    await writeFile(file, text);
    const prunes = createPrunes(createFolderRecords(folder));

    for (const asked of [() => prunes.waitForPrune(), () => prunes.underWay(), () => prunes.begin()]) {
      const error = await asked().catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(UnreadableRecord);
      expect((error as Error).message).toMatch(
        /^a prune .*: the record prunes\/begun-2 .* within 5 minutes\. .* remove prunes\/begun-2\.json from the store/,
      );
    }
    await rm(file);
    await prunes.waitForPrune();
    expect(await (await prunes.begin())?.end()).toBeUndefined();
  });
});

describe('a prune', () => {
  it('does not begin if another one begins at the same time', async () => {
    const records = createFolderRecords(await temporaryFolder());
    const other = createPrunes(records);
    let others: unknown;
    const list = async (key: string): Promise<readonly string[]> => {
      const names = await records.list(key);
      others ??= await other.begin();
      return names;
    };
    expect(await createPrunes({ ...records, list }).begin()).toBeUndefined();
    expect(others).toBeDefined();
  });
});
