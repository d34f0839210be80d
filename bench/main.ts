import { cpus } from 'node:os';
import { measureHandOff } from './hand-off';
import { measureHelp } from './help';
import { measureRecovery, RECOVERY_BOUND_MS } from './recovery';
import { summary } from './statistics';

/** Prints what `npm run bench` measures. Times are of this machine, now; compare them within one run. */
async function main(): Promise<void> {
  const print = (line: string): boolean => process.stdout.write(`${line}\n`);
  print(`Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'})`);
  print(`dailies --help          ${summary(await measureHelp(), 'ms')}`);
  print('Killing the only worker five times; about a minute.');
  print(`work after kill -9      ${summary(await measureRecovery(), 'ms')}, to be below ${RECOVERY_BOUND_MS}`);
  print('Rendering a chain of eight 5-second 720p shots; about a minute and a half.');
  print(`hand-off between links  ${summary(await measureHandOff(), 'ms')}`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
