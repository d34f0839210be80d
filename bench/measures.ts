import { batchFindings, measureBatch } from './batch';
import { DOWNLOAD_PARTS, measureJoin } from './bytes';
import { measureDetection } from './detection';
import { type Grown, growthFinding, measureProduction, measureRows } from './growth';
import { found } from './finding';
import { measureHandOff } from './hand-off';
import { type Measure, type Part } from './measure';
import { measureRecovery, RECOVERY_BOUND_MS } from './recovery';
import { measureHelp, measureStatus, measureWarmStart, measureWorkerStart } from './start';
import { measureBatchPages, STUDIO_ROWS } from './studio/batch-pages';
import { measureFilmPage, STUDIO_SHOTS } from './studio/film-page';
import { measureScripts } from './studio/scripts';

/** Default rows of `bench batch`, and how many of them run at once. */
const ROWS = 2_000;
const PARALLEL = 64;

/** Shots of the productions of `bench growth`, and rows of its batches. */
const SHOTS = [10, 100, 1_000];
const BATCH_ROWS = [100, 1_000, 10_000];

export const MEASURES: Readonly<Record<string, Measure>> = {
  start: {
    title: 'Start',
    notice: 'Starting commands and workers, and rendering the film of npm start; about two minutes.',
    parts: () => [
      timed('dailies --help', measureHelp),
      timed('dailies status', measureStatus),
      { title: 'worker until it polls', measure: measureWorkerStart },
      timed('npm start once more', measureWarmStart),
    ],
  },
  recovery: {
    title: 'Recovery',
    notice: 'Killing the only worker five times; about a minute.',
    parts: () => [timed(`work after kill -9, to be below ${RECOVERY_BOUND_MS} ms`, measureRecovery)],
  },
  chain: {
    title: 'Chain',
    notice: 'Rendering a chain of eight 5-second 720p shots; about a minute and a half.',
    parts: () => [{ title: 'hand-off between links', measure: measureHandOff }],
  },
  bytes: { title: 'Bytes', parts: () => [...DOWNLOAD_PARTS, { title: 'films', measure: measureJoin }] },
  detection: {
    title: 'Detection, simulated',
    parts: ([seed = 1]) => [{ title: `seed ${seed}`, measure: () => measureDetection(seed) }],
  },
  batch: {
    title: 'Batch',
    notice: 'A batch of texts that are ready at once; some minutes.',
    parts: ([rows = ROWS, parallel = PARALLEL]) => [
      { title: `batch of ${rows} rows`, measure: async () => batchFindings(await measureBatch({ rows, parallel })) },
    ],
  },
  growth: {
    title: 'Growth',
    notice: 'Productions of up to 1,000 shots and batches of up to 10,000 rows; a quarter of an hour.',
    parts: () => [...growing('production', SHOTS, measureProduction), ...growing('batch', BATCH_ROWS, measureRows)],
  },
  studio: {
    title: 'Studio',
    notice: 'A production in the browser, and the records of a large batch; some three minutes.',
    parts: () => [
      { title: `page of ${STUDIO_SHOTS} shots`, measure: measureFilmPage },
      { title: `batch of ${STUDIO_ROWS} rows`, measure: measureBatchPages },
      { title: 'scripts', measure: measureScripts },
    ],
  },
};

/** A part that measures one duration, in milliseconds, several times. */
function timed(title: string, measure: () => Promise<readonly number[]>): Part {
  return { title, measure: async () => [found(title, 'ms', await measure())] };
}

/** One part per size, smallest size first. Each size is compared with the first size that could be measured. */
function growing(what: string, sizes: readonly number[], measure: (size: number) => Promise<Grown>): readonly Part[] {
  let smallest: Grown | undefined;
  return sizes.map((size) => ({
    title: `${what} of ${size}`,
    measure: async () => {
      const grown = await measure(size);
      return [growthFinding(grown, (smallest ??= grown))];
    },
  }));
}
