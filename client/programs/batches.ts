import { type BatchBounds } from '../../contracts/batch';
import { createBatches, type BegunBatch } from '../../store';
import {
  type BatchReport,
  checkBatch,
  type LiveBatch,
  openResultFiles,
  type ResultLine,
  resultLine,
  rowStandings,
  rulesOfFile,
  unknownBatch,
  watchBatch,
} from '../batch';
import { absolute } from '../working-folder';
import { checkedOptions } from './checked-options';
import { type ProgramContext } from './context';
import { InvalidBatch } from './invalid-batch';

/** What stands here takes the place of what the file says. */
export interface BatchOptions extends Partial<BatchBounds>, WaitForBatchOptions {
  /** Name of the batch. Default: the file's own. */
  readonly id?: string;
  /** False to return once it has begun. Default: true. */
  readonly wait?: boolean;
}

export interface WaitForBatchOptions {
  /** Folder that results are copied to as they come, with their lists. Default: they stay in the store. */
  readonly out?: string;
  /** Told how it goes on, once a second. */
  readonly onStatus?: (live: LiveBatch) => void;
  /** Ends the waiting, not the batch. */
  readonly signal?: AbortSignal;
}

export interface RetryOptions extends Omit<BatchOptions, 'id'> {
  /** Also rows that were cancelled, never begun or lost. Default: false. */
  readonly missing?: boolean;
}

/** What a program does with batches. */
export interface Batches {
  /**
   * Renders the rows of a file that are missing or have changed, as `dailies batch`. Resolves when it has ended.
   *
   * @throws InvalidInput for options that cannot be, InvalidBatch, Refused
   */
  batch(file: string, options?: BatchOptions): Promise<BatchReport>;
  /** Renders the rows again that have failed, or all that are missing. @throws InvalidInput, Refused */
  retryFailed(batchId: string, options?: RetryOptions): Promise<BatchReport>;
  /** Waits for a batch that was begun. @throws Refused for one that is unknown. */
  waitForBatch(batchId: string, options?: WaitForBatchOptions): Promise<BatchReport>;
  /** As `dailies batch status --json`. @throws Refused for one that is unknown. */
  batchStatus(batchId: string): Promise<BatchReport>;
  /** Every row in the order of the file, as `results.jsonl` has it; files are named where the store has them. */
  batchResults(batchId: string): AsyncIterable<ResultLine>;
  /** Pays for nothing new, and collects what is paid for; `waitForBatch` tells when that is done. @throws Refused */
  cancelBatch(batchId: string): Promise<void>;
}

/** A caller may say of an option that it is undefined. */
type Waiting = { readonly [Name in keyof WaitForBatchOptions]?: WaitForBatchOptions[Name] | undefined };
type Begun = Waiting & { readonly wait: boolean | undefined };

export function createBatchPrograms({ config, store, client, tellOfNoWorker }: ProgramContext): Batches {
  async function report(batchId: string): Promise<BatchReport> {
    const found = await client.batches.report(batchId);
    if (found === undefined) throw await unknownBatch(store, batchId);
    return found;
  }
  async function begunOf(batchId: string): Promise<BegunBatch> {
    const begun = await createBatches(store.records).begun(batchId);
    if (begun === undefined) throw await unknownBatch(store, batchId);
    return begun;
  }
  async function waitForBatch(batchId: string, options: Waiting = {}): Promise<BatchReport> {
    const { out, onStatus = () => undefined, signal = new AbortController().signal } = options;
    const begun = await begunOf(batchId);
    await tellOfNoWorker();
    const files =
      out === undefined ? undefined : await openResultFiles({ store, batchId, begun, folder: absolute(out) });
    const look = async (live: LiveBatch): Promise<void> => {
      onStatus(live);
      await files?.append();
    };
    if (await watchBatch(client.batches, batchId, look, signal)) {
      await files?.complete(await client.batches.live(batchId));
    }
    return report(batchId);
  }

  async function underWay(batchId: string, { wait = true, ...options }: Begun): Promise<BatchReport> {
    if (wait) return waitForBatch(batchId, options);
    await tellOfNoWorker();
    return report(batchId);
  }

  return {
    waitForBatch,
    batchStatus: report,
    cancelBatch: (batchId) => client.batches.cancel(batchId),
    async batch(file, { id, wait, out, onStatus, signal, ...options } = {}) {
      const rules = checkedOptions(options);
      const loaded = await checkBatch(file, { policy: config, ...(id === undefined ? {} : { id }) });
      if (!loaded.ok) throw new InvalidBatch(loaded.issues, loaded.count);
      const { batch } = loaded;
      try {
        const request = { batch, path: absolute(file), takeOver: id !== undefined };
        await client.batches.start({ ...request, ...rulesOfFile(batch), ...rules });
      } finally {
        await batch.close();
      }
      return underWay(batch.id, { wait, out, onStatus, signal });
    },
    async retryFailed(batchId, { wait, out, onStatus, signal, missing = false, ...options } = {}) {
      await client.batches.retryFailed(batchId, { missing, ...checkedOptions(options) });
      return underWay(batchId, { wait, out, onStatus, signal });
    },
    async *batchResults(batchId) {
      const begun = await begunOf(batchId);
      const live = await client.batches.live(batchId);
      for await (const row of rowStandings(store, begun, batchId, live)) {
        const asset = row.end?.asset ?? null;
        const path = asset !== null && (await store.assets.has(asset)) ? store.assets.localPath(asset) : null;
        yield resultLine(store, row, path);
      }
    },
  };
}
