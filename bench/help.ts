import { dailies } from './command';

const ROUNDS = 9;

/** Milliseconds that `dailies --help` takes, from start of the process to its end. */
export async function measureHelp(): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now();
    await dailies(['--help']);
    times.push(performance.now() - begun);
  }
  return times;
}
