import { readWork, type Work } from './work';

/**
 * Runs a contender as a program: `node NAME.js WORK`. It says `ready` on stdout once it can begin, and ends with 0 when
 * every output is in its place. It may be killed at any moment and started again with the same work.
 */
export function runContender(main: (work: Work, ready: () => void) => Promise<void>): void {
  const begin = async (): Promise<void> => {
    const [path] = process.argv.slice(2);
    if (path === undefined) throw new Error('the path of the work is missing');
    await main(await readWork(path), () => process.stdout.write('ready\n'));
    // Engines keep connections and timers of their own.
    process.exit(0);
  };
  begin().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  });
}
