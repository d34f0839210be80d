import { batchFindings, measureBatch } from './batch';
import { DOWNLOAD_PARTS, measureJoin, type Part } from './bytes';
import { measureDetection } from './detection';
import { type Grown, growthFinding, measureProduction, measureRows } from './growth';
import { found } from './finding';
import { measureHandOff } from './hand-off';
import { measureRecovery, RECOVERY_BOUND_MS } from './recovery';
import { measureHelp, measureStatus, measureWarmStart, measureWorkerStart } from './start';

/** Rows of `bench batch`, and how many of them at once, where no numbers are given. */
const ROWS = 2_000;
const PARALLEL = 64;

/** Shots of the productions of `bench growth`, and rows of its batches. */
const SHOTS = [10, 100, 1_000];
const BATCH_ROWS = [100, 1_000, 10_000];

/** What `npm run bench` measures by one name. */
export interface Measure {
  readonly title: string;
  /** What is done, and for how long, where people would wonder. */
  readonly notice?: string;
  /** One after another; where one fails, the others go on. */
  readonly parts: (numbers: readonly number[]) => readonly Part[];
}

export const MEASURES: Readonly<Record<string, Measure>> = {
  start: {
    title: 'Start',
    notice: 'Commands and workers are started, and the film of npm start is rendered; some two minutes.',
    parts: () => [
      async () => [found('dailies --help', 'ms', await measureHelp())],
      async () => [found('dailies status', 'ms', await measureStatus())],
      measureWorkerStart,
      async () => [found('npm start once more', 'ms', await measureWarmStart())],
    ],
  },
  recovery: {
    title: 'Recovery',
    notice: 'Killing the only worker five times; about a minute.',
    parts: () => [
      async () => [found('work after kill -9', `ms, to be below ${RECOVERY_BOUND_MS}`, await measureRecovery())],
    ],
  },
  chain: {
    title: 'Chain',
    notice: 'Rendering a chain of eight 5-second 720p shots; about a minute and a half.',
    parts: () => [measureHandOff],
  },
  bytes: { title: 'Bytes', parts: () => [...DOWNLOAD_PARTS, measureJoin] },
  detection: {
    title: 'Detection, simulated',
    parts: ([seed = 1]) => [() => measureDetection(seed)],
  },
  batch: {
    title: 'Batch',
    notice: 'A batch of texts that are ready at once; some minutes.',
    parts: ([rows = ROWS, parallel = PARALLEL]) => [async () => batchFindings(await measureBatch({ rows, parallel }))],
  },
  growth: {
    title: 'Growth',
    notice: 'Productions of up to 1,000 shots and batches of up to 10,000 rows; a quarter of an hour.',
    parts: () => [...growing(SHOTS, measureProduction), ...growing(BATCH_ROWS, measureRows)],
  },
};

/** A part for each size, from the smallest on, which the others are compared with. */
function growing(sizes: readonly number[], measure: (size: number) => Promise<Grown>): readonly Part[] {
  let smallest: Grown | undefined;
  return sizes.map((size) => async () => {
    const grown = await measure(size);
    return [growthFinding(grown, (smallest ??= grown))];
  });
}
