import { cpus } from 'node:os';
import { batchInWords, measureBatch } from './batch';
import { measureHandOff } from './hand-off';
import { measureHelp } from './help';
import { measureRecovery, RECOVERY_BOUND_MS } from './recovery';
import { summary } from './statistics';

/** Rows of `bench batch`, where no number is given. */
const ROWS = 2_000;

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

/** `bench batch [ROWS] [PARALLEL]` */
async function batch([rows = ROWS, parallel = 64]: readonly number[]): Promise<void> {
  print(`A batch of ${rows} rows, ${parallel} at once; some minutes.`);
  for (const line of batchInWords(await measureBatch({ rows, parallel }))) print(line);
}

/** Prints what `npm run bench` measures. Times are of this machine, now; compare them within one run. */
async function main([name, ...numbers]: readonly string[]): Promise<void> {
  print(`Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'})`);
  if (name === 'batch') return batch(numbers.map(Number));
  print(`dailies --help          ${summary(await measureHelp(), 'ms')}`);
  print('Killing the only worker five times; about a minute.');
  print(`work after kill -9      ${summary(await measureRecovery(), 'ms')}, to be below ${RECOVERY_BOUND_MS}`);
  print('Rendering a chain of eight 5-second 720p shots; about a minute and a half.');
  print(`hand-off between links  ${summary(await measureHandOff(), 'ms')}`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
