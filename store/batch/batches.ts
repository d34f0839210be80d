import { z } from 'zod';
import { PRIORITIES } from '../../contracts/gateway/arbiter';
import { AssetRef } from '../../contracts/asset';
import { type BatchStatus, type RowEnd } from '../../contracts/render/batch';
import { type BatchIndex, type BatchPage } from '../../contracts/render/batch-page';
import { NOTICE_TYPES } from '../../contracts/notice';
import { fewAtOnce } from '../disk/few-at-once';
import { ifReadable, numbersOf, type Records } from '../records';
import { type Assets, readJson } from '../assets';

/**
 * Folder with a subfolder for each batch. A batch from a file has the record `source`. Run n has `begun-n`, then
 * `ended-n` or `withdrawn-n`, and `results-n/m` for page m of the results. All records but `source` are written once.
 */
export const BATCHES = 'batches';

/** The file from which the batch was last begun, and the account that began it. */
const BatchSource = z.looseObject({ path: z.string(), account: z.string(), at: z.string() });
export type BatchSource = z.infer<typeof BatchSource>;

const ReadyByRule = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('time'), time: z.string(), timeZone: z.string().nullable() }),
  z.object({ kind: z.literal('instant'), instant: z.string() }),
]);

/** The record of a run that has begun. Times are ISO 8601. */
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
  /** True if a program gave the batch as an object. A file may then take over the id only if `--id` names it. */
  given: z.boolean().exactOptional(),
});
export type BegunBatch = z.infer<typeof BegunBatch>;

export interface Batches {
  ids(): Promise<readonly string[]>;
  source(batchId: string): Promise<BatchSource | undefined>;
  /** Path of the file from which the batch was last begun; null if a program gave the batch, undefined if unknown. */
  origin(batchId: string): Promise<string | null | undefined>;
  noteSource(batchId: string, source: BatchSource): Promise<void>;
  run(batchId: string, run: number): Promise<BegunBatch | undefined>;
  /** The last run that was begun and not withdrawn. */
  begun(batchId: string): Promise<BegunBatch | undefined>;
  /** Records a run under its number. False if the number is taken. */
  begin(batchId: string, begun: BegunBatch): Promise<boolean>;
  /** Withdraws a recorded run that did not start. */
  withdraw(batchId: string, run: number): Promise<void>;
  /** Ids of the account's batches whose last run has no recorded end, and of all batches with unreadable records. */
  interrupted(account: string): Promise<readonly string[]>;
  ended(batchId: string, run: number): Promise<BatchStatus | undefined>;
  end(status: BatchStatus): Promise<void>;
  /** Records a page of results. A recorded page stays as it is. */
  noteResults(batchId: string, run: number, page: number, ends: readonly RowEnd[]): Promise<void>;
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
      const open = await fewAtOnce((await records.list(BATCHES)).toSorted(), async (id) => {
        const isOpen = await ifReadable(async () => {
          const last = await begun(id);
          return last?.account === account && (await records.read(`${BATCHES}/${id}/ended-${last.run}`)) === undefined;
        });
        // A batch with unreadable records may have been interrupted.
        return isOpen?.value === false ? [] : [id];
      });
      return open.flat();
    },
    begin: (batchId, begun) => records.create(`${BATCHES}/${batchId}/begun-${begun.run}`, begun),
    // Not validated: only our own code writes `ended` and `results`.
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

/** Reads the index of a batch. It is not validated, since only our own code writes it. */
export async function readBatchIndex(assets: Pick<Assets, 'readBytes'>, index: AssetRef): Promise<BatchIndex> {
  return (await readJson(assets, index)) as BatchIndex;
}

/** Reads one page of rows, without validation. */
export async function readBatchPage(assets: Pick<Assets, 'readBytes'>, page: AssetRef): Promise<BatchPage> {
  return (await readJson(assets, page)) as BatchPage;
}
