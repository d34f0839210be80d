import { isDeepStrictEqual } from 'node:util';
import { type BatchBounds } from '../../contracts/render/batch';
import { type BegunBatch } from '../../store';
import {
  type BatchReport,
  type BatchSummary,
  type LiveBatch,
  ResultFiles,
  type ResultLine,
  type RetryPlan,
  type RowPage,
  type RowsRequest,
  unknownBatch,
  watchBatch,
} from '../batch';
import { checkBatch, rulesOfFile } from '../batch-file/check-batch';
import { type BatchObject, openGivenBatch } from '../batch-file/given-batch';
import { Refused } from '../wording/refused';
import { absolute } from '../wording/working-folder';
import { checkedOptions } from './checked-options';
import { checkedRows } from './checked-rows';
import { type ProgramContext } from './context';
import { type GivenOptions } from './given';
import { InvalidBatch } from './invalid-batch';

/** Options of a batch. The id and the bounds replace the values of the file or object. */
export interface BatchOptions extends Partial<BatchBounds>, WaitForBatchOptions, GivenOptions {
  /** Name of the batch. Default: the file's or the object's own. */
  readonly id?: string;
  /** False to return as soon as the batch has begun. Default: true. */
  readonly wait?: boolean;
}

export interface WaitForBatchOptions {
  /**
   * Folder that results and result lists are written to as rows end. Later commands for the batch use this folder too.
   * Default: results stay in the store.
   */
  readonly out?: string;
  /** Called about once a second with the current state of the batch. */
  readonly onStatus?: (live: LiveBatch) => void;
  /** If the signal aborts, the wait ends and the batch continues. */
  readonly signal?: AbortSignal;
}

export interface RetryOptions extends Omit<BatchOptions, 'id' | 'baseDir'> {
  /** True to also render rows that are parked, were cancelled, never began or lost their result. Default: false. */
  readonly missing?: boolean;
  /** The result of `planRetry`. The retry is refused if the rows or the price have changed since. */
  readonly plan?: RetryPlan;
}

export interface Batches {
  /**
   * Renders those rows of a file or object that have no result or have changed, like `dailies batch`. Resolves when the
   * batch has ended, unless `wait` is false.
   *
   * @throws InvalidInput for invalid options, InvalidBatch for an invalid batch, Refused
   */
  batch(batch: string | BatchObject, options?: BatchOptions): Promise<BatchReport>;
  /**
   * Renders failed rows again; with `missing`, all rows without a result, except skipped ones.
   *
   * @throws InvalidInput, Refused
   */
  retryFailed(batchId: string, options?: RetryOptions): Promise<BatchReport>;
  /** Plans the rows that `retryFailed` would render, and their price. Sends nothing. @throws Refused */
  planRetry(batchId: string, options?: Pick<RetryOptions, 'missing'>): Promise<RetryPlan>;
  /** Waits until a begun batch has ended. @throws Refused if the batch is unknown. */
  waitForBatch(batchId: string, options?: WaitForBatchOptions): Promise<BatchReport>;
  /** The same report as `dailies batch status --json`. @throws Refused if the batch is unknown. */
  batchStatus(batchId: string): Promise<BatchReport>;
  /**
   * Like `batchStatus`, without the lists of rows. The first call for a run reads all rows and results; later calls
   * read only new results. @throws Refused if the batch is unknown.
   */
  batchSummary(batchId: string): Promise<BatchSummary>;
  /**
   * The matching rows of a batch, in the order of the file. Skips the first `offset` and returns at most `limit`
   * (default 100, at most 1,000). The first call for a run reads all rows and results; later calls read only new
   * results.
   *
   * @throws InvalidInput, Refused if the batch is unknown.
   */
  batchRows(batchId: string, request?: Partial<RowsRequest>): Promise<RowPage>;
  /**
   * Every row in the order of the file, as in `results.jsonl`. Paths lead into the store. @throws Refused if the batch
   * is unknown.
   */
  batchResults(batchId: string): AsyncIterable<ResultLine>;
  /**
   * Drains a batch: the batch pays for no new take, and collects the output of paid takes. `waitForBatch` waits for the
   * end. @throws Refused
   */
  cancelBatch(batchId: string): Promise<void>;
}

type Waiting = { readonly [Name in keyof WaitForBatchOptions]?: WaitForBatchOptions[Name] | undefined };
type Begun = Waiting & { readonly wait: boolean | undefined };

export function createBatchPrograms({ config, store, client, quotes, tellOfNoWorker }: ProgramContext): Batches {
  async function report(batchId: string): Promise<BatchReport> {
    const found = await client.batches.report(batchId);
    if (found === undefined) throw await unknownBatch(store, batchId);
    return found;
  }
  async function begunOf(batchId: string): Promise<BegunBatch> {
    const begun = await store.batches.begun(batchId);
    if (begun === undefined) throw await unknownBatch(store, batchId);
    return begun;
  }
  async function rememberFolder(batchId: string, out: string | undefined): Promise<void> {
    if (out !== undefined) await store.outPlaces.noteFolder(batchId, absolute(out));
  }
  async function waitForBatch(batchId: string, options: Waiting = {}): Promise<BatchReport> {
    const { out, onStatus = () => undefined, signal = new AbortController().signal } = options;
    const begun = await begunOf(batchId);
    await rememberFolder(batchId, out);
    await tellOfNoWorker();
    const files =
      out === undefined ? undefined : await ResultFiles.open({ store, batchId, begun, folder: absolute(out) });
    const look = async (live: LiveBatch): Promise<void> => {
      onStatus(live);
      await files?.append();
    };
    if (await watchBatch(client.batches, batchId, look, signal)) {
      await files?.complete(await client.batches.live(batchId));
    }
    return report(batchId);
  }

  /** @throws Refused if the retry would differ from the given plan. */
  async function checkPlanned(seen: RetryPlan, batchId: string, missing: boolean): Promise<void> {
    const now = await client.batches.planRetry(batchId, { missing, quotes: quotes() });
    if (isDeepStrictEqual(seen, now)) return;
    throw new Refused(`the retry of batch "${batchId}" is not as planned; plan again, and see what it costs now`);
  }

  async function followOrReport(batchId: string, { wait = true, ...options }: Begun): Promise<BatchReport> {
    if (wait) return waitForBatch(batchId, options);
    await rememberFolder(batchId, options.out);
    await tellOfNoWorker();
    return report(batchId);
  }

  return {
    waitForBatch,
    batchStatus: report,
    cancelBatch: (batchId) => client.batches.cancel(batchId),
    async batch(given, { id, wait, out, onStatus, signal, baseDir = '.', ...options } = {}) {
      const rules = checkedOptions(options);
      const isFile = typeof given === 'string';
      const opened = isFile ? given : openGivenBatch(given, { folder: absolute(baseDir) });
      const loaded = await checkBatch(opened, { policy: config, ...(id === undefined ? {} : { id }) });
      if (!loaded.ok) throw new InvalidBatch(loaded.issues, loaded.count);
      const { batch } = loaded;
      try {
        const request = { batch, path: isFile ? absolute(given) : null, takeOver: id !== undefined };
        await client.batches.start({ ...request, ...rulesOfFile(batch), ...rules });
      } finally {
        await batch.close();
      }
      return followOrReport(batch.id, { wait, out, onStatus, signal });
    },
    planRetry: (batchId, { missing = false } = {}) => client.batches.planRetry(batchId, { missing, quotes: quotes() }),
    async batchSummary(batchId) {
      const live = await client.batches.live(batchId);
      return (await client.batches.rows.summary(batchId, live)) ?? Promise.reject(await unknownBatch(store, batchId));
    },
    async batchRows(batchId, request = {}) {
      const checked = checkedRows(request);
      const live = await client.batches.live(batchId);
      return (
        (await client.batches.rows.page(batchId, checked, live)) ?? Promise.reject(await unknownBatch(store, batchId))
      );
    },
    async retryFailed(batchId, { wait, out, onStatus, signal, missing = false, plan, ...options } = {}) {
      if (plan !== undefined) await checkPlanned(plan, batchId, missing);
      await client.batches.retryFailed(batchId, { missing, ...checkedOptions(options) });
      return followOrReport(batchId, { wait, out, onStatus, signal });
    },
    async *batchResults(batchId) {
      const live = await client.batches.live(batchId);
      const results = await client.batches.rows.results(batchId, live);
      if (results === undefined) throw await unknownBatch(store, batchId);
      yield* results;
    },
  };
}
