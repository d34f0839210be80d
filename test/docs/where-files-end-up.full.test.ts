import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ListedTake } from '../../contracts/render/listed-take';
import { openDailies } from '../../workers';
import { type CommandProcess, dailies, type Ended, startAtTerminal, startLine, startProcess } from '../scripts/command';
import { pageCommands, tableRows } from '../support/page-blocks';
import { PLAIN_ENV } from '../support/pictures';
import { killSet } from '../support/running-parts';
import { PICTURE_FILE } from '../support/scheduled';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';

const PAGE = 'docs/where-files-end-up.md';

const film = (more = ''): string => `shots:
  - { id: a, model: beta-2.5, prompt: first light, duration: 4, resolution: 480p${more} }
`;

const ROWS = `
models: { quill-text-1: { output: text } }
generations:
  - { key: north, model: quill-text-1, prompt: a sign }
`;

/** What the page says that the folder of a production holds. */
const OF_A_FILM = ['film.mp4', 'frames', 'index.html', 'manifest.json', 'takes'];

describe(PAGE, () => {
  let folder: string;
  let up: CommandProcess;

  beforeAll(async () => {
    folder = await temporaryFolder();
    writeFileSync(join(folder, 'film.yaml'), film(', takes: 2'));
    writeFileSync(join(folder, 'reviewed.yaml'), film(', review: true'));
    writeFileSync(join(folder, 'rows.yaml'), ROWS);
    writeFileSync(join(folder, 'news.yaml'), PICTURE_FILE);
    up = startProcess(['up'], { folder });
    await until(() => up.stdout().includes('The embedded set is up'));
  });

  afterAll(async () => {
    up.process.kill('SIGTERM');
    await up.ended;
    killSet(folder);
  });

  /** Runs a command in a folder; the store stays where it is. */
  async function run(words: string, from = folder): Promise<Ended> {
    const env = { DAILIES_STORE: join(folder, 'store') };
    const ended = await dailies(words.split(' '), { folder: from, env });
    expect({ words, ...ended }).toMatchObject({ exitCode: words.startsWith('render reviewed') ? 3 : 0 });
    return ended;
  }

  /** The names that a person sees in a folder. */
  const inFolder = (...path: readonly string[]): readonly string[] =>
    readdirSync(join(folder, ...path))
      .filter((name) => !name.startsWith('.'))
      .toSorted();

  /** Each row of the page's table: begins it, and expects it where the page says. */
  const ROW: Readonly<Record<string, (goesTo: string) => Promise<void>>> = {
    '`render FILE`, `retake`, `choose`, …': async (goesTo) => {
      for (const command of ['render film.yaml', 'retake film a --yes', 'choose film a 1 --yes']) {
        rmSync(join(folder, 'out'), { recursive: true, force: true });
        await run(command);
        expect(inFolder(goesTo.replace('ID', 'film'))).toEqual(OF_A_FILM);
      }
    },
    '`review ID`': async (goesTo) => {
      await run('render reviewed.yaml');
      rmSync(join(folder, 'out'), { recursive: true });
      const review = startAtTerminal(['review', 'reviewed'], { folder });
      await review.answer(/a: a approve take 1/, 'q');
      await review.ended;
      expect(inFolder(goesTo.replace('ID', 'reviewed'), 'takes')).toEqual(['a-take-1.mp4']);
    },
    '`batch FILE`': async (goesTo) => {
      await run('batch rows.yaml');
      expect(inFolder(goesTo.replace('ID', 'rows')).filter((name) => name.startsWith('north'))).toHaveLength(1);
    },
    'a [schedule](schedules.md)': async (goesTo) => {
      for (const [name, within, files] of [
        ['news', 'takes', ['a-take-1.png']],
        ['rows', '.', ['.dailies-files.json', 'north-take-1.txt', 'results.csv', 'results.jsonl']],
      ] as const) {
        await run(`schedule create ${name} ${name}.yaml --every 6h`);
        const id = await triggered(name);
        const lies = join(folder, goesTo.replace('SCHEDULE', name).replace('TIME', id.replace(`${name}-`, '')));
        await until(() => up.stderr().includes(`"${id}" has ended and is exported to ${lies.replace(/\/$/, '')}.`));
        expect(readdirSync(join(lies, within)).toSorted()).toEqual(files);
        rmSync(lies, { recursive: true });
        await run(`export ${id}`);
        expect(existsSync(lies)).toBe(true);
      }
    },
    '`generate`': async (goesTo) => {
      await run('generate --id door --model pixel-image-1 --output image --prompt door');
      expect(inFolder(goesTo.replace('ID', 'door')).join()).toMatch(/\.png/);
    },
    'a [program](programs.md)': async (goesTo) => {
      expect(goesTo).toContain('out');
      const program = await openDailies({ ...process.env, ...PLAIN_ENV, DAILIES_STORE: join(folder, 'store') });
      try {
        const file = join(folder, 'film.yaml');
        const without = await program.renderProduction(file, { id: 'alone' });
        expect(without.film?.path).toMatch(new RegExp(`^${join(folder, 'store')}/`));
        await program.renderProduction(file, { id: 'mine', out: join(folder, 'mine') });
        expect(inFolder('mine')).toEqual(OF_A_FILM);
      } finally {
        await program.close();
      }
    },
  };

  const table = tableRows(PAGE);

  it('has a table whose rows are all run here', () => {
    expect(table.map(([what]) => what)).toEqual(Object.keys(ROW));
  });

  it.each(table)('%s: goes to %s', async (what, goesTo) => {
    await ROW[what]?.(goesTo.replaceAll('`', ''));
  });

  it('has `--out` remembered, wherever a command is typed, until it names another folder', async () => {
    const elsewhere = join(folder, 'elsewhere');
    await mkdir(elsewhere);
    await run('render film.yaml --id remembered --out kept');
    rmSync(join(folder, 'kept'), { recursive: true });
    await chooseOther('remembered', elsewhere);
    expect(inFolder('kept')).toEqual(OF_A_FILM);
    await run('export remembered --out other', elsewhere);
    await chooseOther('remembered');
    expect((await run('status remembered')).stdout).toContain(join(elsewhere, 'other', 'film.mp4'));
    expect(inFolder('elsewhere')).toEqual(['other']);
  });

  it('has what is gone exported again by its commands, and the paths told', async () => {
    await run('render film.yaml');
    const lines = pageCommands(PAGE).map((line) => line.replace('ID', 'film').replace('FOLDER', 'copies'));
    expect(lines).toHaveLength(2);
    for (const [line, lies] of [
      [lines[0], join('out', 'film')],
      [lines[1], 'copies'],
    ] as const) {
      rmSync(join(folder, lies), { recursive: true, force: true });
      expect((await startLine(line ?? '', { folder }).ended).exitCode).toBe(0);
      expect(inFolder(lies)).toEqual(OF_A_FILM);
      const told = (await run('status film')).stdout;
      for (const name of ['film.mp4', 'index.html']) expect(told).toContain(join(folder, lies, name));
      expect((await run('takes film a')).stdout).toContain(join(folder, lies, 'takes', 'a-take-1.mp4'));
    }
    expect((await run('audit film')).stdout).toMatch(/^film: the books agree\n.* 4 tasks at the gateway$/m);
    await run('batch rows.yaml');
    expect((await run('batch status rows')).stdout).toContain(join(folder, 'out', 'rows'));
  });

  it('has the runs of a schedule in the folder that it was made with', async () => {
    await run('schedule create shown news.yaml --every 6h --out weekly');
    const id = await triggered('shown');
    const lies = join(folder, 'weekly', id.replace('shown-', ''));
    await until(() => up.stderr().includes(`is exported to ${lies}.`));
    expect((await run('schedule show shown')).stdout).toContain(lies);
    expect((await run(`status ${id}`)).stdout).toContain(join(lies, 'index.html'));
    // The page has a run of a time, and one that was begun by hand.
    const page = readFileSync(join(__dirname, '../..', PAGE), 'utf8').replaceAll(/\d/g, '0');
    expect(page).toContain(`\`out/news/${id.replace('shown-', '').replaceAll(/\d/g, '0')}/\``);
  });

  /** Chooses the take of `a` that does not stand: of two, either may be ready first. */
  async function chooseOther(id: string, from?: string): Promise<void> {
    const { stdout } = await run(`takes ${id} --json`);
    const other = (JSON.parse(stdout) as ListedTake[]).find(({ chosen }) => !chosen);
    await run(`choose ${id} a ${other?.take ?? 'none'} --yes`, from);
  }

  async function triggered(schedule: string): Promise<string> {
    const { stdout } = await run(`schedule trigger ${schedule} --json`);
    return (JSON.parse(stdout) as { production: string }).production;
  }
});
