import { batchInWords, measureBatch } from './batch';
import { measureDownload, measureJoin } from './bytes';
import { measureDetection } from './detection';
import { grownInWords, type Grown, measureProduction, measureRows } from './growth';
import { measureHandOff } from './hand-off';
import { machine, machineInWords } from './machine';
import { measureRecovery, RECOVERY_BOUND_MS } from './recovery';
import { measureHelp, measureServed, measureWarmStart } from './start';
import { summary } from './statistics';

/** Rows of `bench batch`, where no number is given. */
const ROWS = 2_000;

/** Shots of the productions of `bench growth`, and rows of its batches. */
const SHOTS = [10, 100, 1_000];
const BATCH_ROWS = [100, 1_000, 10_000];

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

/** What `npm run bench` measures, by name. */
const MEASURES: Readonly<Record<string, (numbers: readonly number[]) => Promise<void>>> = {
  async start() {
    print(`dailies --help          ${summary(await measureHelp(), 'ms')}`);
    const { prebuilt, bundling, status } = await measureServed();
    print(`dailies status          ${summary(status, 'ms')}`);
    print(`worker until it polls   ${summary(prebuilt, 'ms')}; bundling would add ${summary(bundling, 'ms')}`);
    print('Rendering the film of npm start; about a minute.');
    print(`npm start once more     ${summary(await measureWarmStart(), 'ms')}`);
  },
  async recovery() {
    print('Killing the only worker five times; about a minute.');
    print(`work after kill -9      ${summary(await measureRecovery(), 'ms')}, to be below ${RECOVERY_BOUND_MS}`);
  },
  async chain() {
    print('Rendering a chain of eight 5-second 720p shots; about a minute and a half.');
    print(`hand-off between links  ${summary(await measureHandOff(), 'ms')}`);
  },
  async bytes() {
    for (const download of await measureDownload()) {
      print(
        `${download.title.padEnd(24)}${summary(download.ours, 'ms')}; curl to disk ${summary(download.other, 'ms')}`,
      );
    }
    for (const film of await measureJoin()) {
      print(`${film.title.padEnd(24)}${summary(film.ours, 'ms')}; the bare command ${summary(film.other, 'ms')}`);
    }
  },
  async batch([rows = ROWS, parallel = 64]) {
    print(`A batch of ${rows} rows, ${parallel} at once; some minutes.`);
    for (const line of batchInWords(await measureBatch({ rows, parallel }))) print(line);
  },
  async detection([seed = 1]) {
    for (const line of await measureDetection(seed)) print(line);
  },
  async growth() {
    print('Productions of up to 1,000 shots and batches of up to 10,000 rows; a quarter of an hour.');
    await grow(SHOTS, measureProduction);
    await grow(BATCH_ROWS, measureRows);
  },
};

async function grow(sizes: readonly number[], measure: (size: number) => Promise<Grown>): Promise<void> {
  let smallest: Grown | undefined;
  for (const size of sizes) {
    const grown = await measure(size);
    print(grownInWords(grown, (smallest ??= grown)));
  }
}

/** `bench [NAME [NUMBER ...]]`: one measure, or all. Times are of this machine, now; compare them within one run. */
async function main([name, ...numbers]: readonly string[]): Promise<void> {
  for (const line of machineInWords(await machine())) print(line);
  if (name === undefined) {
    for (const measure of Object.values(MEASURES)) await measure([]);
    return;
  }
  const measure = MEASURES[name];
  if (measure === undefined) throw new Error(`no measure "${name}"; there are ${Object.keys(MEASURES).join(', ')}`);
  await measure(numbers.map(Number));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
