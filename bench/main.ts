import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readArguments } from './arguments';
import { type Finding, quantitiesInWords } from './finding';
import { machine, machineInWords } from './machine';
import { type Measure, MEASURES } from './measures';
import { keptMeasures, pageWith } from './page';
import { saveMeasure } from './saved';

const ROOT = join(__dirname, '..', '..');
const DOCS = join(ROOT, 'docs');
const PAGE = join(DOCS, 'benchmarks.md');
const PRETTIER = join(ROOT, 'node_modules', 'prettier', 'bin', 'prettier.cjs');

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

/**
 * `bench [NAME [NUMBER ...] ...] [--save]`: the measures named, or all. Times are of this machine, now; compare them
 * within one run. Ends with exit code 1 where anything could not be measured.
 */
async function main(args: readonly string[]): Promise<void> {
  const { measures, save } = readArguments(args, Object.keys(MEASURES));
  const found = await machine();
  for (const line of machineInWords(found)) print(line);
  const failed: string[] = [];
  for (const { name, numbers } of measures) {
    const measure = MEASURES[name];
    if (measure === undefined) continue;
    const { findings, isWhole } = await run(measure, numbers);
    if (!isWhole) failed.push(name);
    // Half of a measure would hide that the other half is missing.
    else if (save) {
      await saveMeasure(DOCS, { name, date: new Date().toISOString().slice(0, 10), machine: found, findings });
      await writePage();
    }
  }
  if (failed.length === 0) return;
  process.stderr.write(`Not measured in full${save ? ', and not kept' : ''}: ${failed.join(', ')}.\n`);
  process.exitCode = 1;
}

/** Runs all parts of a measure, and prints what each has found, or why it has not. */
async function run(
  { title, notice, parts }: Measure,
  numbers: readonly number[],
): Promise<{ readonly findings: readonly Finding[]; readonly isWhole: boolean }> {
  print(`\n${title}${notice === undefined ? '' : `. ${notice}`}`);
  const findings: Finding[] = [];
  let isWhole = true;
  for (const part of parts(numbers)) {
    try {
      const found = await part();
      for (const finding of found) print(`  ${finding.title.padEnd(32)}  ${quantitiesInWords(finding)}`);
      findings.push(...found);
    } catch (error) {
      isWhole = false;
      print(`  could not be measured: ${messageOf(error)}`);
    }
  }
  return { findings, isWhole };
}

async function writePage(): Promise<void> {
  await writeFile(PAGE, pageWith(await readFile(PAGE, 'utf8'), await keptMeasures(DOCS)));
  await promisify(execFile)(process.execPath, [PRETTIER, '--write', PAGE, join(DOCS, 'benchmarks', 'alone')]);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
});
