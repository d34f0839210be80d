import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ANSWERS } from '../../contracts/render/decision';
import { FAILURES, WORKFLOW_FAILURES } from '../../contracts/failures';
import { STATUSES } from '../../gateway/statuses';
import { ERROR_EXIT_CODES } from '../../scripts/process/exit-codes';

const ROOT = join(__dirname, '..', '..');

describe('docs/failures.md', () => {
  let page: string;

  beforeAll(async () => {
    page = await readFile(join(ROOT, 'docs', 'failures.md'), 'utf8');
  });

  it('explains every failure type, says rightly whether it is retried, and names no other', () => {
    const rows = [...page.matchAll(/^\| `(\w+)`\s*\| (retried|final)\s*\|(.*)\|$/gm)];
    const documented = Object.fromEntries(rows.map(([, type, kind]) => [type, kind]));
    const catalogue = Object.entries(FAILURES).map(([type, { retried }]) => [type, retried ? 'retried' : 'final']);
    expect(documented).toEqual(Object.fromEntries(catalogue));
    for (const [, , , cells = ''] of rows) {
      expect(cells.split('|').filter((cell) => cell.trim().length > 5)).toHaveLength(3);
    }
  });

  it('has the table of statuses, row for row', () => {
    const rows = [...page.matchAll(/^\| (\d{3})\s*\| (.+?)\s*\| `(\w+)`\s*\| (.+?)\s*\|$/gm)];
    expect(rows.map(([, ...cells]) => cells)).toEqual(
      Object.entries(STATUSES).map(([status, { accepted, refusal, words }]) => [status, accepted, refusal, words]),
    );
  });

  it('explains every type with which a workflow refuses or ends, and names no other', () => {
    const rows = [...page.matchAll(/^\| `(\w+)`\s*\| (?:update|end) of [^|]*\|(.*)\|$/gm)];
    expect(rows.map(([, type]) => type).sort()).toEqual([...WORKFLOW_FAILURES].sort());
    for (const [, , cells = ''] of rows) {
      expect(cells.split('|').filter((cell) => cell.trim().length > 5)).toHaveLength(2);
    }
  });

  // There the compiler takes no type that a catalogue does not have.
  it.each([
    ['activities', 'fail.ts'],
    ['workflows', 'temporal/fail.ts'],
  ])('leaves no type out: every failure of %s is made in %s', async (folder, maker) => {
    const files = (await readdir(join(ROOT, folder), { recursive: true })).filter((file) => file.endsWith('.ts'));
    const texts = await Promise.all(files.map((file) => readFile(join(ROOT, folder, file), 'utf8')));
    const isMaker = (text: string) => /new ApplicationFailure\b|\bApplicationFailure\s*\.\s*[a-z]/.test(text);
    expect(files.filter((_file, index) => isMaker(texts[index]!))).toEqual([maker]);
  });

  it('explains every error of the command with its exit code, and names no other', () => {
    const rows = [...page.matchAll(/^\| `(\w+)`\s*\| (\d+)\s*\|(.*)\|$/gm)];
    expect(Object.fromEntries(rows.map(([, name, code]) => [name, Number(code)]))).toEqual(
      Object.fromEntries(ERROR_EXIT_CODES),
    );
    for (const [, , , cells = ''] of rows) {
      expect(cells.split('|').filter((cell) => cell.trim().length > 5)).toHaveLength(2);
    }
  });

  it('says for what a shot may be parked, and names no other', () => {
    const rows = [...page.matchAll(/^\| parked \((\w+)\)/gm)].map(([, parkedFor]) => parkedFor);
    expect(rows.sort()).toEqual(Object.keys(ANSWERS).sort());
  });
});
