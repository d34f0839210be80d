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
 * The records of a batch beside its takes, under `batches/<batch>/`: `source`; `begun-n` and `ended-n` (or
 * `withdrawn-n`) of each run; and the run's results in pages, `results-n/m`. All but `source` are written once.
 */
export const BATCHES = 'batches';

/** The file and the account of the last begin. */
const BatchSource = z.looseObject({ path: z.string(), account: z.string(), at: z.string() });
export type BatchSource = z.infer<typeof BatchSource>;

const ReadyByRule = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('time'), time: z.string(), timeZone: z.string().nullable() }),
  z.object({ kind: z.literal('instant'), instant: z.string() }),
]);

/** One run of a batch. Times are ISO 8601. */
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
  /** True if a program gave the batch as an object. There is no file then, and none may take its name unasked. */
  given: z.boolean().exactOptional(),
});
export type BegunBatch = z.infer<typeof BegunBatch>;

export interface Batches {
  ids(): Promise<readonly string[]>;
  source(batchId: string): Promise<BatchSource | undefined>;
  /** The path of the file that it was last begun from; null if a program gave it, undefined if nobody knows. */
  origin(batchId: string): Promise<string | null | undefined>;
  noteSource(batchId: string, source: BatchSource): Promise<void>;
  run(batchId: string, run: number): Promise<BegunBatch | undefined>;
  /** The last run that was begun and not withdrawn. */
  begun(batchId: string): Promise<BegunBatch | undefined>;
  /** Takes the number of the next run. False if another process has taken it. */
  begin(batchId: string, begun: BegunBatch): Promise<boolean>;
  /** Withdraws a run that did not start because another was under way. */
  withdraw(batchId: string, run: number): Promise<void>;
  /** Ids of the account's batches that have begun and have no recorded end. */
  interrupted(account: string): Promise<readonly string[]>;
  ended(batchId: string, run: number): Promise<BatchStatus | undefined>;
  end(status: BatchStatus): Promise<void>;
  /** Records a page of results. A recorded page stays as it is. */
  noteResults(batchId: string, run: number, page: number, ends: readonly RowEnd[]): Promise<void>;
  /** Undefined if the page is not recorded. */
  results(batchId: string, run: number, page: number): Promise<readonly RowEnd[] | undefined>;
  /** Numbers of the runs, ascending, including withdrawn ones. */
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
  async function source(batchId: string): Promise<BatchSource | undefined> {
    const record = await records.read(`${BATCHES}/${batchId}/source`);
    return record === undefined ? undefined : BatchSource.parse(record);
  }
  return {
    ids: () => records.list(BATCHES),
    source,
    async origin(batchId) {
      if ((await begun(batchId))?.given === true) return null;
      return (await source(batchId))?.path;
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
    // Our own activities write both from these types.
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

/** Reads the index of a batch, which our own client wrote from this type. */
export async function readBatchIndex(assets: Pick<Assets, 'localPath'>, index: AssetRef): Promise<BatchIndex> {
  return JSON.parse(await readFile(assets.localPath(index), 'utf8')) as BatchIndex;
}

/** Reads one page of rows, which our own client wrote from this type. */
export async function readBatchPage(assets: Pick<Assets, 'localPath'>, page: AssetRef): Promise<BatchPage> {
  return JSON.parse(await readFile(assets.localPath(page), 'utf8')) as BatchPage;
}
