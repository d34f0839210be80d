import { main } from '../../workers/main';
import { EXIT, type ExitCode } from '../exit-codes';

/** Runs a worker in the foreground until it is asked to end. */
export async function worker(): Promise<ExitCode> {
  await main();
  return EXIT.completed;
}
