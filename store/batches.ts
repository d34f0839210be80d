import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { PRIORITIES } from '../contracts/arbiter';
import { AssetRef } from '../contracts/asset';
import { type BatchIndex, type BatchPage, type BatchStatus, type RowEnd } from '../contracts/batch';
import { NOTICE_TYPES } from '../contracts/notice';
import { fewAtOnce } from './few-at-once';
import { numbersOf, type Records } from './records';
import { type Assets } from './assets';

/**
 * What the store knows of a batch beside its takes, under `batches/<batch>/`: where its file lies, `begun-n` and
 * `ended-n` (or `withdrawn-n`) of each run, and the run's results in pages, `results-n/m`. All but the file's place are written once.
 */
export const BATCHES = 'batches';

/** Where a batch was last begun from, and by which account. */
const BatchSource = z.looseObject({ path: z.string(), account: z.string(), at: z.string() });
export type BatchSource = z.infer<typeof BatchSource>;

const ReadyByRule = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('time'), time: z.string(), timeZone: z.string().nullable() }),
  z.object({ kind: z.literal('instant'), instant: z.string() }),
]);

/** A run of a batch as it was begun. Times are ISO 8601. */
const BegunBatch = z.looseObject({
  run: z.int().positive(),
  renderId: z.string(),
  account: z.string(),
  index: AssetRef,
  at: z.string(),
  parallel: z.int().positive(),
  stopAfterFailures: z.int().positive().nullable(),
  priority: z.enum(PRIORITIES).exactOptional(),
  notify: z
    .object({ target: z.string(), on: z.array(z.enum(NOTICE_TYPES)).readonly().exactOptional() })
    .exactOptional(),
  readyBy: z.object({ rule: ReadyByRule, hasFallback: z.boolean(), at: z.string() }).exactOptional(),
});
export type BegunBatch = z.infer<typeof BegunBatch>;

/** The records of batches. */
export interface Batches {
  ids(): Promise<readonly string[]>;
  source(batchId: string): Promise<BatchSource | undefined>;
  noteSource(batchId: string, source: BatchSource): Promise<void>;
  /** A run that was begun. */
  run(batchId: string, run: number): Promise<BegunBatch | undefined>;
  /** The last run that was begun. */
  begun(batchId: string): Promise<BegunBatch | undefined>;
  /** Takes the number of the next run; false where another has just got it. */
  begin(batchId: string, begun: BegunBatch): Promise<boolean>;
  /** Takes back a run that has not begun, since another was under way. */
  withdraw(batchId: string, run: number): Promise<void>;
  /** The account's batches that have begun and whose end is not noted, by id. */
  interrupted(account: string): Promise<readonly string[]>;
  ended(batchId: string, run: number): Promise<BatchStatus | undefined>;
  end(status: BatchStatus): Promise<void>;
  /** Notes a page of results; one that is noted stays as it is. */
  noteResults(batchId: string, run: number, page: number, ends: readonly RowEnd[]): Promise<void>;
  /** Results of one page; undefined where it is not noted. */
  results(batchId: string, run: number, page: number): Promise<readonly RowEnd[] | undefined>;
  /** Numbers of the runs, in order. */
  runs(batchId: string): Promise<readonly number[]>;
}

export function createBatches(records: Records): Batches {
  const numbers = async (batchId: string): Promise<readonly number[]> =>
    numbersOf(await records.list(`${BATCHES}/${batchId}`), 'begun');
  async function runOf(batchId: string, run: number): Promise<BegunBatch | undefined> {
    const record = await records.read(`${BATCHES}/${batchId}/begun-${run}`);
    return record === undefined ? undefined : BegunBatch.parse(record);
  }
  async function begun(batchId: string): Promise<BegunBatch | undefined> {
    const names = await records.list(`${BATCHES}/${batchId}`);
    const last = numbersOf(names, 'begun').findLast((run) => !names.includes(`withdrawn-${run}`));
    return last === undefined ? undefined : runOf(batchId, last);
  }
  return {
    ids: () => records.list(BATCHES),
    async source(batchId) {
      const record = await records.read(`${BATCHES}/${batchId}/source`);
      return record === undefined ? undefined : BatchSource.parse(record);
    },
    noteSource: (batchId, source) => records.replace(`${BATCHES}/${batchId}/source`, source),
    runs: numbers,
    run: runOf,
    begun,
    async withdraw(batchId, run) {
      await records.create(`${BATCHES}/${batchId}/withdrawn-${run}`, { at: new Date().toISOString() });
    },
    async interrupted(account) {
      const known = await fewAtOnce((await records.list(BATCHES)).toSorted(), async (id) => {
        const last = await begun(id);
        if (last?.account !== account) return [];
        return (await records.read(`${BATCHES}/${id}/ended-${last.run}`)) === undefined ? [id] : [];
      });
      return known.flat();
    },
    begin: (batchId, begun) => records.create(`${BATCHES}/${batchId}/begun-${begun.run}`, begun),
    // Both are written by our own activities from these very types.
    ended: async (batchId, run) =>
      (await records.read(`${BATCHES}/${batchId}/ended-${run}`)) as BatchStatus | undefined,
    async end(status) {
      await records.create(`${BATCHES}/${status.batch}/ended-${status.run}`, status);
    },
    async noteResults(batchId, run, page, ends) {
      await records.create(`${BATCHES}/${batchId}/results-${run}/${page}`, ends);
    },
    results: async (batchId, run, page) =>
      (await records.read(`${BATCHES}/${batchId}/results-${run}/${page}`)) as readonly RowEnd[] | undefined,
  };
}

/** Reads the index of a batch; it was written by our own client from this very type. */
export async function readBatchIndex(assets: Pick<Assets, 'localPath'>, index: AssetRef): Promise<BatchIndex> {
  return JSON.parse(await readFile(assets.localPath(index), 'utf8')) as BatchIndex;
}

/** Reads one page of rows; the same holds. */
export async function readBatchPage(assets: Pick<Assets, 'localPath'>, page: AssetRef): Promise<BatchPage> {
  return JSON.parse(await readFile(assets.localPath(page), 'utf8')) as BatchPage;
}
