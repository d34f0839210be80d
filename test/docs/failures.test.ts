import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FAILURES } from '../../contracts/failures';

describe('docs/failures.md', () => {
  it('explains every failure type, says rightly whether it is retried, and names no other', async () => {
    const page = await readFile(join(__dirname, '..', '..', 'docs', 'failures.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)`\s*\| (retried|final)\s*\|(.*)\|$/gm)];
    const documented = Object.fromEntries(rows.map(([, type, kind]) => [type, kind]));
    const catalogue = Object.entries(FAILURES).map(([type, { retried }]) => [type, retried ? 'retried' : 'final']);
    expect(documented).toEqual(Object.fromEntries(catalogue));
    for (const [, , , cells = ''] of rows) {
      expect(cells.split('|').filter((cell) => cell.trim().length > 5)).toHaveLength(3);
    }
  });
});
