import { appendFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openListLines } from '../../../client/batch/list-lines';
import { temporaryFolder } from '../../support/temporary-folder';

const AT = '2026-11-22T02:00:00.000Z';
const line = (key: string): string => `${JSON.stringify({ key, state: 'completed', at: AT })}\n`;

describe('the lines of a list of results', () => {
  it('are read on, and from the start if another file has the inode of the earlier one', async () => {
    const list = join(await temporaryFolder(), 'results.jsonl');
    await writeFile(list, line('a') + line('b'));
    const lines = openListLines(list);
    const keys = (): readonly string[] => ['a', 'b', 'c', 'd', 'e'].filter((key) => lines.has({ key, at: AT }));
    await lines.readOn();
    await appendFile(list, line('c'));
    await lines.readOn();
    expect(keys()).toEqual(['a', 'b', 'c']);
    const { ino } = await stat(list);
    // Truncated and written again, so that the inode is the same.
    await writeFile(list, line('a') + line('d') + line('e') + line('b'));
    expect((await stat(list)).ino).toBe(ino);
    await lines.readOn();
    expect(keys()).toEqual(['a', 'b', 'd', 'e']);
  });
});
