import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CONTENDERS, type Contender } from './contender';
import { report } from './report';
import { type Run, run } from './run';
import { type Figures, save } from './saved';
import { ServiceMissing } from './services/service';
import { table } from './table';
import { type MeasuredWork, measuredWorks } from './works';

/**
 * `bench:peers [WORK ...] [--contender NAME ...] [--rounds N] [--short] [--save | --report]`: the same work, done by Dailies and by
 * what people would use instead. Ends with 1 where a result is wrong: something lost, paid twice by Dailies, or
 * different from what the others made, or Dailies failing; with 2 where it cannot be run. Never for time. `--save` keeps the raw figures and writes the page of all that is
 * kept, `--report` the page alone.
 */

const say = (line: string): boolean => process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      contender: { type: 'string', multiple: true },
      rounds: { type: 'string' },
      short: { type: 'boolean', default: false },
      save: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
    },
  });
  const all = measuredWorks(values.short ? 'short' : 'full');
  const works = values.report ? [] : chosen(all, positionals, 'work');
  const contenders = chosen(CONTENDERS, values.contender ?? [], 'contender');
  if (values.save && (values.short || contenders.length < CONTENDERS.length)) {
    throw new Error('--save keeps what everybody did, in full; leave out --short and --contender');
  }
  say(machine());
  const wrong: string[] = [];
  const missing = new Set<string>();
  for (const work of works) {
    const rounds = values.rounds === undefined ? work.rounds : Number(values.rounds);
    say(`\n${work.name}: ${work.title}; ${rounds} round${rounds === 1 ? '' : 's'}`);
    const measured = await measure(work, contenders, rounds, missing);
    wrong.push(...measured.wrong);
    for (const line of table(measured.figures)) say(line);
    if (values.save) {
      const at = new Date().toISOString().slice(0, 10);
      const { name, title } = work;
      await save({ work: name, title, versions: await versions(), machine: machine(), at, figures: measured.figures });
    }
  }
  if (values.save || values.report) await report();
  for (const line of wrong) say(`WRONG: ${line}`);
  return wrong.length === 0 ? 0 : 1;
}

interface Measured {
  readonly figures: Record<string, Figures[]>;
  readonly wrong: readonly string[];
}

async function measure(
  work: MeasuredWork,
  contenders: readonly Contender[],
  rounds: number,
  missing: Set<string>,
): Promise<Measured> {
  const figures: Measured['figures'] = {};
  const wrong: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    let expected: Run['outputs'] | undefined;
    for (const contender of rotated(contenders, round)) {
      if (missing.has(contender.name)) continue;
      const task = work.task(round);
      try {
        const done = await run(contender, task);
        (figures[contender.name] ??= []).push(work.figures(done));
        expected ??= done.outputs;
        wrong.push(...differences(contender, work, done, expected).map((line) => `${line} (round ${round + 1})`));
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        say(`without ${contender.title}: ${error.message}`);
        // The other works could not be done either.
        if (error instanceof ServiceMissing) missing.add(contender.name);
        if (contender.name !== 'dailies') continue;
        if (error instanceof ServiceMissing) throw error;
        wrong.push(`Dailies did not do ${work.name} (round ${round + 1})`);
      }
    }
  }
  return { figures, wrong };
}

/** What a run should not have left. That others pay twice after a crash is a figure; that Dailies does is an error. */
function differences(
  { name, title }: Contender,
  work: MeasuredWork,
  { tasks, outputs }: Run,
  expected: Run['outputs'],
): readonly string[] {
  const found: string[] = [];
  const outputsWanted = work.task(0).jobs.reduce((sum, { shots, film }) => sum + shots.length + (film ? 1 : 0), 0);
  const tasksWanted = work.task(0).jobs.reduce((sum, { shots }) => sum + shots.length, 0);
  const count = Object.keys(outputs).length;
  if (count !== outputsWanted) found.push(`${title} left ${count} of ${outputsWanted} outputs of ${work.name}`);
  const mayPayTwice = work.name.startsWith('crash') && name !== 'dailies';
  if (tasks.length !== tasksWanted && !mayPayTwice) {
    found.push(`${title} paid for ${tasks.length} tasks of ${work.name}, where ${tasksWanted} are wanted`);
  }
  for (const [output, print] of Object.entries(outputs)) {
    if (expected[output] !== undefined && expected[output] !== print) {
      found.push(`${title} made another ${output} of ${work.name}: ${print}, not ${expected[output]}`);
    }
  }
  return found;
}

/** Another one begins in each round. */
function rotated<Of>(all: readonly Of[], round: number): readonly Of[] {
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

function chosen<Of extends { readonly name: string }>(
  all: readonly Of[],
  names: readonly string[],
  what: string,
): readonly Of[] {
  const unknown = names.find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined) {
    throw new Error(`there is no ${what} "${unknown}"; there are ${all.map(({ name }) => name).join(', ')}`);
  }
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

function machine(): string {
  return `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'})`;
}

/** Of the packages that took part. */
async function versions(): Promise<Readonly<Record<string, string>>> {
  const [own, product] = [join(__dirname, '..'), join(__dirname, '..', '..', '..')];
  const names = ['bullmq', '@dbos-inc/dbos-sdk', '@restatedev/restate-sdk', '@restatedev/restate-server'];
  const packages = [...names.map((name) => [own, name] as const), [product, '@temporalio/worker'] as const];
  const found = packages.map(async ([folder, name]) => {
    const text = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8');
    return [name, (JSON.parse(text) as { version: string }).version] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  },
);
