import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dailies, type Ended } from '../scripts/command';
import { temporaryFolder } from '../support/temporary-folder';

/** The samples, run as a person runs them, except that `out/` and the store belong to the test. */
const SAMPLES = join(__dirname, '..', '..', 'productions', 'catalogue');

interface Result {
  readonly key: string;
  readonly state: string;
  readonly path: string;
}

describe('the command, with the sample catalogue', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await temporaryFolder();
    await cp(SAMPLES, folder, { recursive: true });
  });

  const run = (...args: readonly string[]): Promise<Ended> => dailies(['batch', ...args], { folder });
  const list = (): Promise<string> => readFile(join(folder, 'out', 'catalogue', 'results.jsonl'), 'utf8');
  const results = async (): Promise<readonly Result[]> =>
    (await list())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Result);

  it('counts the rows of a dry run, and stores nothing', async () => {
    const { exitCode, stdout } = await run('catalogue.yaml', '--dry-run', '--json');
    expect(JSON.parse(stdout)).toEqual({
      batch: 'catalogue',
      title: 'Spring catalogue',
      rows: 4,
      open: 4,
      quote: { tasks: 4, credits: 12, unknown: 0 },
      unchecked: { 'pixel-image-1': ['height', 'prompt', 'width'] },
    });
    expect(exitCode).toBe(0);
    expect((await run('status', 'catalogue')).stderr).toContain('no batch "catalogue" is known here');
  });

  it('makes a picture of each product, and reports it for people and for programs', async () => {
    const { exitCode, stdout, stderr } = await run('catalogue.yaml', '--json');
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('rendering 4 rows')]);
    expect(JSON.parse(stdout)).toMatchObject({ batch: 'catalogue', state: 'completed', rows: 4, credits: 12 });
    expect((await results()).map(({ key, state }) => [key, state])).toEqual(
      ['cup-01', 'cup-02', 'jug-01', 'bowl-01'].map((key) => [key, 'completed']),
    );
    for (const { path } of await results()) expect((await readFile(path)).subarray(1, 4).toString()).toBe('PNG');
    const table = await readFile(join(folder, 'out', 'catalogue', 'results.csv'), 'utf8');
    expect(table.split('\n')[1]).toMatch(/^"cup-01","completed","",/);
    expect(JSON.parse((await run('status', 'catalogue', '--json')).stdout)).toMatchObject({ counts: { completed: 4 } });
  });

  it('pays for nothing when it is run again, and for one row when one has changed', async () => {
    const again = await run('catalogue.yaml');
    expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining('nothing is rendered')]);
    const sheet = await readFile(join(folder, 'products.csv'), 'utf8');
    await writeFile(join(folder, 'products.csv'), sheet.replace('blue', 'black'));
    const looked = await run('catalogue.yaml', '--dry-run');
    expect(looked.stdout).toContain('4 valid rows, 1 of them to render, for about 3 credits');
    expect(looked.stdout).toContain('to render: cup-02');
    await cp(join(folder, 'catalogue.yaml'), join(folder, 'other', 'catalogue.yaml'));
    await cp(join(folder, 'products.csv'), join(folder, 'other', 'products.csv'));
    for (const flags of [['--dry-run'], []]) {
      const other = await run(join('other', 'catalogue.yaml'), ...flags);
      expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining('was last begun from')]);
    }
    const changed = await run('catalogue.yaml');
    expect(changed.stderr).toContain('rendering 1 of 4 rows');
    const books = await dailies(['ledger', 'catalogue', '--json'], { folder });
    expect(JSON.parse(books.stdout)).toMatchObject({ total: { takes: 5, credits: 15 } });
    const listed = JSON.parse((await dailies(['list', '--json'], { folder })).stdout) as unknown;
    expect(listed).toMatchObject([{ production: 'catalogue', state: 'completed', batch: { rows: 4 } }]);
  });

  it('repairs a result list with a truncated last line, and keeps a person’s file of the same name', async () => {
    const whole = await list();
    const path = join(folder, 'out', 'catalogue', 'results.jsonl');
    await writeFile(path, whole.slice(0, -40));
    expect((await run('results', 'catalogue')).exitCode).toBe(0);
    expect(await list()).toBe(whole);
    await writeFile(path, 'notes of my own\nand more\n');
    expect((await run('results', 'catalogue')).stderr).toContain('results.kept-1.jsonl');
    expect(await list()).toBe(whole);
    expect(await readFile(path.replace('.jsonl', '.kept-1.jsonl'), 'utf8')).toContain('notes of my own');
  });

  it('refuses a broken table with row and column and exit code 2, and sends nothing', async () => {
    await writeFile(join(folder, 'broken.csv'), 'key,model,prompt,duration\na,beta-video,sea,99\n');
    const { exitCode, stderr } = await run('broken.csv');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('broken.csv:2 row 1, column "duration": duration is 99');
    expect((await run('status', 'broken')).exitCode).toBe(2);
  });

  it('checks the sample of films, each a production of its own', async () => {
    const { stdout } = await run('films.yaml', '--dry-run');
    expect(stdout).toMatch(/^films: 4 valid rows, 4 of them to render, for about 160 credits\. Nothing was sent/);
  });

  it('shares no id with a production', async () => {
    await writeFile(
      join(folder, 'catalogue-film.yaml'),
      'id: catalogue\nshots: [{ id: a, model: beta-video, prompt: sea }]\n',
    );
    const { exitCode, stderr } = await dailies(['render', 'catalogue-film.yaml'], { folder });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('"catalogue" is a batch')]);
  });
});
