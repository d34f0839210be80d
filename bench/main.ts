import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readArguments } from './arguments';
import { machine, machineInWords } from './machine';
import { runMeasure } from './measure';
import { MEASURES } from './measures';
import { keptMeasures, pageWith } from './page';
import { saveMeasure } from './saved';

const ROOT = join(__dirname, '..', '..');
const DOCS = join(ROOT, 'docs');
const PAGE = join(DOCS, 'benchmarks.md');
const PRETTIER = join(ROOT, 'node_modules', 'prettier', 'bin', 'prettier.cjs');

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * `bench [NAME [NUMBER ...] ...] [--save]`: runs the named measures, or all.
 *
 * Times depend on the machine and its load, so compare them only within one run. The exit code is 1 if an argument is
 * wrong or anything could not be measured.
 */
async function main(args: readonly string[]): Promise<void> {
  const { measures, save } = readArguments(args, Object.keys(MEASURES));
  const found = await machine();
  for (const line of machineInWords(found)) print(line);
  const failed: string[] = [];
  for (const { name, numbers } of measures) {
    const measure = MEASURES[name];
    if (measure === undefined) continue;
    const { findings, missing } = await runMeasure(measure, numbers, print);
    // Only complete measures are saved, because the page would not show that parts of a measure are missing.
    if (missing.length > 0) failed.push(`${name} (${missing.join(', ')})`);
    else if (save) {
      await saveMeasure(DOCS, { name, date: new Date().toISOString().slice(0, 10), machine: found, findings });
      await writePage();
    }
  }
  if (failed.length === 0) return;
  process.stderr.write(`\nNot measured in full${save ? ', and not kept' : ''}: ${failed.join('; ')}.\n`);
  process.exitCode = 1;
}

async function writePage(): Promise<void> {
  await writeFile(PAGE, pageWith(await readFile(PAGE, 'utf8'), await keptMeasures(DOCS)));
  await promisify(execFile)(process.execPath, [PRETTIER, '--write', PAGE, join(DOCS, 'benchmarks', 'alone')]);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
