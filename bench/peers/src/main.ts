import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { machine, machineInWords } from '../../../dist/bench/machine';
import { CONTENDERS, type Contender } from './contender';
import { report } from './report';
import { type Run, run } from './run';
import { type Figures, save } from './saved';
import { ServiceMissing } from './services/service';
import { table } from './table';
import { type MeasuredWork } from './works/measured-work';
import { measuredWorks } from './works/works';

/**
 * `bench:peers [WORK ...] [--contender NAME ...] [--rounds N] [--short] [--save | --report]`: runs the same work with
 * Dailies and with the alternatives. `--save` saves the raw figures and rewrites docs/benchmarks.md from all saved
 * figures; `--report` only rewrites that page.
 *
 * Exit codes: 3 for a wrong result, never for a slow one; 2 if Dailies' own server is missing; 130 after an interrupt;
 * 1 for any other error.
 *
 * A result is wrong if a contender loses a task or pays for it twice. In works with a kill, this applies only to
 * Dailies. A result is also wrong if outputs differ, or if Dailies or all other available contenders failed.
 */

const EXIT = { wrong: 3, cannotRun: 2, interrupted: 130 } as const;

const say = (line: string): boolean => process.stdout.write(`${line}\n`);

async function main(signal: AbortSignal): Promise<number> {
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
    throw new Error('--save needs full works and all contenders; leave out --short and --contender');
  }
  const here = machineInWords(await machine());
  here.forEach(say);
  const wrong: string[] = [];
  const missing = new Map<string, string>();
  for (const work of works) {
    const rounds = roundsOf(values.rounds) ?? work.rounds;
    say(`\n${work.name}: ${work.title}; ${rounds} round${rounds === 1 ? '' : 's'}`);
    const measured = await measure(work, contenders, { rounds, missing, signal });
    wrong.push(...measured.wrong);
    for (const line of table(measured, contenders)) say(line);
    // Only right results are saved, because a wrong result would replace the last right result.
    if (values.save && measured.wrong.length === 0) {
      const { name, title } = work;
      const versions = await packageVersions();
      const failures = [...measured.failures, ...missing.values()];
      const at = new Date().toISOString().slice(0, 10);
      await save({
        ...{ work: name, title, machine: here.join(' '), at, rounds },
        ...{ figures: measured.figures, failures, versions: { ...versions, ...measured.versions } },
      });
    }
  }
  for (const line of wrong) say(`WRONG: ${line}`);
  if (values.save || values.report) await report();
  return wrong.length === 0 ? 0 : EXIT.wrong;
}

function roundsOf(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const rounds = Number(written);
  if (Number.isInteger(rounds) && rounds > 0) return rounds;
  throw new Error(`--rounds is "${written}"; it must be a whole number from 1`);
}

interface Measured {
  readonly rounds: number;
  readonly figures: Record<string, Figures[]>;
  readonly failures: readonly string[];
  /** Versions of the servers. */
  readonly versions: Readonly<Record<string, string>>;
  readonly wrong: readonly string[];
}

interface Setting {
  readonly rounds: number;
  /** Contenders whose server is missing, with the reason. They are skipped in later works too. */
  readonly missing: Map<string, string>;
  readonly signal: AbortSignal;
}

async function measure(
  work: MeasuredWork,
  contenders: readonly Contender[],
  { rounds, missing, signal }: Setting,
): Promise<Measured> {
  const figures: Measured['figures'] = {};
  const versions: Record<string, string> = {};
  const failures: string[] = [];
  const wrong: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    let expected: Run['outputs'] = {};
    for (const contender of rotated(contenders, round)) {
      if (missing.has(contender.name)) continue;
      try {
        const done = await run(contender, work.task(round), signal);
        (figures[contender.name] ??= []).push(work.figures(done));
        if (contender.server !== undefined) versions[contender.server.title] = done.serverVersion ?? 'unknown';
        if (done.crash?.failure != null)
          failures.push(`${contender.title}: ${done.crash.failure} (round ${round + 1})`);
        expected = { ...done.outputs, ...expected };
        wrong.push(...differences(contender, work, done, expected).map((line) => `${line} (round ${round + 1})`));
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Error)) throw error;
        const why = `${contender.title}: ${error.message}`;
        say(`without ${why}`);
        if (!(error instanceof ServiceMissing)) failures.push(`${why} (round ${round + 1})`);
        else if (contender.name === 'dailies') throw error;
        else missing.set(contender.name, why);
        if (contender.name === 'dailies') wrong.push(`Dailies did not do ${work.name} (round ${round + 1})`);
      }
    }
  }
  const available = contenders.filter(({ name }) => !missing.has(name)).length;
  if (available > 1 && Object.keys(figures).length < 2) {
    wrong.push(`there is nothing to compare ${work.name} with`);
  }
  return { rounds, figures, failures, versions, wrong };
}

/**
 * Lists the errors of a run. In a work with a kill, tasks that are lost or paid twice are errors only of Dailies. Those
 * of other contenders only appear in the figures.
 */
function differences(
  { name, title }: Contender,
  work: MeasuredWork,
  { tasks, outputs, crash }: Run,
  expected: Run['outputs'],
): readonly string[] {
  const found: string[] = [];
  const { jobs } = work.task(0);
  const tasksWanted = jobs.reduce((sum, { shots }) => sum + shots.length, 0);
  const outputsWanted = tasksWanted + jobs.filter(({ film }) => film).length;
  const count = Object.keys(outputs).length;
  if (work.isCrash !== true || name === 'dailies') {
    if (crash?.failure != null) found.push(`${title} did not go on: ${crash.failure}`);
    if (count !== outputsWanted) found.push(`${title} left ${count} of ${outputsWanted} outputs of ${work.name}`);
    if (tasks.length !== tasksWanted) {
      found.push(`${title} paid for ${tasks.length} tasks of ${work.name}, where ${tasksWanted} are wanted`);
    }
  }
  for (const [output, print] of Object.entries(outputs)) {
    if (expected[output] !== undefined && expected[output] !== print) {
      found.push(`${title} made another ${output} of ${work.name}: ${print}, not ${expected[output]}`);
    }
  }
  return found;
}

/** Rotates the contenders, so that each round starts with a different contender. */
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

async function packageVersions(): Promise<Readonly<Record<string, string>>> {
  const [own, product] = [join(__dirname, '..'), join(__dirname, '..', '..', '..')];
  const names = ['bullmq', '@dbos-inc/dbos-sdk', '@restatedev/restate-sdk'];
  const packages = [...names.map((name) => [own, name] as const), [product, '@temporalio/worker'] as const];
  const found = packages.map(async ([folder, name]) => {
    const text = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8');
    return [name, (JSON.parse(text) as { version: string }).version] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    interruption.abort(new Error('interrupted'));
  });
}
main(interruption.signal).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (interruption.signal.aborted) process.exit(EXIT.interrupted);
    process.exit(error instanceof ServiceMissing ? EXIT.cannotRun : 1);
  },
);
