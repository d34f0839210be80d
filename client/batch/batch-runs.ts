import { randomUUID } from 'node:crypto';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { type BatchBounds, type BatchInput, type BatchRules, type BatchStatus } from '../../contracts/render/batch';
import { type BatchIndex } from '../../contracts/render/batch-page';
import { batchWorkflowId } from '../../contracts/identifiers';
import { readyInstant } from '../../contracts/file/ready-by';
import { WORKFLOWS } from '../../contracts/workflow-signatures';
import { type BegunBatch, type Quotes, readBatchIndex, type Store } from '../../store';
import { releaseBatch } from '../records/interrupted';
import { localNow } from '../records/local-now';
import { ifFound } from '../temporal/live-status';
import { refuseWhilePaused } from '../status/paused';
import { wrongAccount, Refused } from '../wording/refused';
import { knowsSearchAttributes } from '../temporal/search-attributes';
import { type HandleOf, type StartOptions, startWorkflow } from '../temporal/start-workflow';
import { batchReport, liveBatch } from './batch-report';
import { type CheckedBatch } from '../batch-file/check-batch';
import { checkName, ownTarget, unknownBatch } from './batch-name';
import { checkOwnRun, checkPayer } from './check-payer';
import { freezeBatch, freezing, rulesOfBatch } from './freeze-batch';
import { planRetry, type RetryPlan } from './plan-retry';
import { rowsAgain } from './rows-again';

export interface BatchRequest extends BatchBounds {
  readonly batch: CheckedBatch;
  /** Absolute path of the batch file; null if a program gave it as an object. */
  readonly path: string | null;
  /** True if the person named the id. Then the id of a batch from another file is allowed. */
  readonly takeOver: boolean;
}

/** Options of a retry. Rules given here replace those of the last run, unless a running batch is joined. */
export interface RetryRequest extends Partial<Omit<BatchRules, 'notify'>> {
  /**
   * If true, rows that are parked, were cancelled, never began or lost their result are rendered too, and a running
   * batch is joined. Default: false.
   */
  readonly missing?: boolean;
}

export interface StartedBatch {
  /** `joined`: the same rows were already running. `nothing`: all rows were already completed. */
  readonly is: 'begun' | 'joined' | 'nothing';
  readonly rows: number;
  readonly open: number;
}

export interface BatchRunsOptions {
  readonly temporal: Client;
  readonly store: Store;
  readonly account: string;
  readonly startOptions: StartOptions;
}

/** Starts and stops runs of batches. A batch has at most one run at a time. */
export class BatchRuns {
  readonly #temporal: Client;
  readonly #store: Store;
  readonly #account: string;
  readonly #startOptions: StartOptions;

  constructor({ temporal, store, account, startOptions }: BatchRunsOptions) {
    this.#temporal = temporal;
    this.#store = store;
    this.#account = account;
    this.#startOptions = startOptions;
  }

  /**
   * Begins a run of the rows that have no result or have changed. If a run of the same rows is running, joins that run.
   *
   * @throws Refused in these cases:
   * - the batch's name or a row's production id is taken
   * - the batch is paused
   * - the batch is running with other rows or for another account
   * - a row of the last run is parked for another account
   * - another command begins a run at the same moment
   */
  async start({ batch, path, takeOver, ...rules }: BatchRequest): Promise<StartedBatch> {
    const [store, account] = [this.#store, this.#account];
    const from = localNow();
    await checkName(store, { batchId: batch.id, path, takeOver });
    await this.#checkPause(batch.id);
    const index = await freezeBatch(batch, {
      target: ownTarget(store, batch.id),
      from,
      ...(await freezing(store, account, batch.id)),
    });
    const joined = (await this.#isRunning(batch.id)) ? await this.#join(batch.id, index) : undefined;
    if (joined === undefined) await checkPayer(store, account, batch.id);
    // Record the file only after these checks, so that a refused batch does not take the name.
    if (path !== null) await store.batches.noteSource(batch.id, { path, account, at: new Date().toISOString() });
    const given = path === null;
    return joined ?? this.#begin(batch.id, index, await rulesOfBatch(store, batch, rules), { from, given });
  }

  /**
   * Begins a run that renders rows of the last run again, as they were frozen. These are the failed rows; with
   * `missing`, all rows without a result except skipped ones. With `missing`, a running batch is joined instead.
   *
   * @throws Refused in these cases:
   * - the batch is unknown or paused, was rendered for another account, or has no such rows
   * - the batch is running, and `missing` is false
   * - another command begins a run at the same moment
   */
  async retryFailed(batchId: string, { missing = false, ...rules }: RetryRequest = {}): Promise<StartedBatch> {
    const begun = await this.#lastRun(batchId);
    const running = await this.#isRunning(batchId);
    if (running && !missing) throw isUnderWay(batchId);
    await this.#checkPause(batchId);
    const from = localNow();
    if (running) return this.#join(batchId, await readBatchIndex(this.#store.assets, begun.index));
    const index = await rowsAgain(this.#store, begun, batchId, { again: missing ? 'missing' : 'failed', from });
    if (index.open === 0) throw nothingAgain(batchId, missing);
    const { parallel, stopAfterFailures, priority, notify, readyBy, given = false } = begun;
    const asBefore = {
      parallel,
      stopAfterFailures,
      ...(priority === undefined ? {} : { priority }),
      ...(notify === undefined ? {} : { notify }),
      ...(readyBy === undefined ? {} : { readyBy }),
    };
    return this.#begin(batchId, index, { ...asBefore, ...rules }, { from, given });
  }

  /**
   * Continues a batch's interrupted run. Never begins a run.
   *
   * @throws Refused if the batch is unknown, paused or not running, or was rendered for another account.
   */
  async goOn(batchId: string): Promise<StartedBatch> {
    const begun = await this.#lastRun(batchId);
    if (!(await this.#isRunning(batchId))) throw new Refused(`batch "${batchId}" is not running any more`);
    await this.#checkPause(batchId);
    return this.#join(batchId, await readBatchIndex(this.#store.assets, begun.index));
  }

  /**
   * Plans the rows and the cost of `retryFailed`. Sends nothing. Stores nothing, but ends the pause of a batch that has
   * ended.
   *
   * @throws Refused as `retryFailed` does; with `missing`, also if the batch is running.
   */
  async planRetry(
    batchId: string,
    { missing, quotes }: { readonly missing: boolean; readonly quotes: Quotes },
  ): Promise<RetryPlan> {
    const begun = await this.#lastRun(batchId);
    if (await this.#isRunning(batchId)) throw isUnderWay(batchId);
    await this.#checkPause(batchId);
    const plan = await planRetry(this.#store, begun, batchId, { again: missing ? 'missing' : 'failed', quotes });
    if (plan.open === 0) throw nothingAgain(batchId, missing);
    return plan;
  }

  /**
   * Asks a running batch to drain: the batch pays for nothing new, and collects the tasks that are paid for.
   *
   * @throws Refused if the batch is unknown or not running.
   */
  async cancel(batchId: string): Promise<void> {
    if ((await this.#store.batches.begun(batchId)) === undefined) throw await unknownBatch(this.#store, batchId);
    const isCancelled =
      (await this.#isRunning(batchId)) && (await ifFound(this.#handleOf(batchId).cancel())) !== undefined;
    if (!isCancelled) throw new Refused(`batch "${batchId}" is not running; there is nothing to cancel`);
  }

  async #checkPause(batchId: string): Promise<void> {
    await refuseWhilePaused(this.#store, 'batch', batchId, async () => {
      return batchReport(this.#store, batchId, await liveBatch(this.#temporal, this.#store.id, batchId));
    });
  }

  async #isRunning(batchId: string): Promise<boolean> {
    return (await ifFound(this.#handleOf(batchId).describe()))?.status.name === 'RUNNING';
  }

  #handleOf(batchId: string): HandleOf<'batch'> {
    return this.#temporal.workflow.getHandle(batchWorkflowId(this.#store.id, batchId));
  }

  /** Joins the current run if it has the same rows and account; otherwise refuses. */
  async #join(batchId: string, index: BatchIndex): Promise<StartedBatch> {
    const begun = await this.#store.batches.begun(batchId);
    if (begun !== undefined && begun.account !== this.#account) {
      throw wrongAccount(`batch "${batchId}" is running`, begun.account, this.#account);
    }
    const running = begun && (await readBatchIndex(this.#store.assets, begun.index));
    if (running?.content !== index.content) {
      throw new Refused(
        `batch "${batchId}" is running with other rows; let it end, or type: dailies batch cancel ${batchId}, ` +
          'then begin it again: what was paid for is kept',
      );
    }
    await releaseBatch(this.#store, this.#account, batchId);
    return { is: 'joined', rows: running.rows, open: running.open };
  }

  async #begin(
    batchId: string,
    index: BatchIndex,
    { readyBy, ...rules }: BatchRules,
    { from, given }: { readonly from: Moment; readonly given: boolean },
  ): Promise<StartedBatch> {
    const { batches, prunes } = this.#store;
    const ref = await this.#store.putJson(index);
    const run = ((await batches.runs(batchId)).at(-1) ?? 0) + 1;
    const at = new Date().toISOString();
    const timed = readyBy && { ...readyBy, at: readyInstant(readyBy.rule, from) };
    const begun: BegunBatch = {
      ...{ run, renderId: randomUUID(), account: this.#account, index: ref, at, ...rules },
      ...(timed === undefined ? {} : { readyBy: timed }),
      ...(given ? { given } : {}),
    };
    const { rows, open } = index;
    // Record the run before its workflow starts: a crash in between must not leave paid work that the store does not
    // know.
    if (!(await batches.begin(batchId, begun))) {
      throw new Refused(
        `batch "${batchId}" was begun by another command at the same moment; see \`dailies batch status ${batchId}\``,
      );
    }
    await prunes.waitForPrune();
    if (open === 0) {
      await batches.end(nothingToDo(batchId, begun, rows));
      return { is: 'nothing', rows, open };
    }
    const input: BatchInput = {
      batchId,
      storeId: this.#store.id,
      run,
      index: ref,
      pages: index.pages.length,
      rows,
      open,
      renderId: begun.renderId,
      searchable: await knowsSearchAttributes(this.#temporal.connection, this.#temporal.options.namespace),
      ...rules,
      ...(timed === undefined ? {} : { readyBy: { ...timed, openByModel: index.openByModel ?? {} } }),
    };
    return this.#startOrJoin(input, index);
  }

  /** Starts the workflow of a recorded run. If another run is running, withdraws the record and joins that run. */
  async #startOrJoin(input: BatchInput, index: BatchIndex): Promise<StartedBatch> {
    const { batchId, run } = input;
    await releaseBatch(this.#store, this.#account, batchId);
    try {
      await startWorkflow(this.#temporal, WORKFLOWS.batch, {
        ...this.#startOptions,
        workflowId: batchWorkflowId(this.#store.id, batchId),
        args: [input],
        memo: { account: this.#account },
        staticSummary: index.title,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await this.#store.batches.withdraw(batchId, run);
      return this.#join(batchId, index);
    }
    return { is: 'begun', rows: index.rows, open: index.open };
  }

  /** @throws Refused if the batch is unknown, or was rendered for another account. */
  async #lastRun(batchId: string): Promise<BegunBatch> {
    const begun = await this.#store.batches.begun(batchId);
    if (begun === undefined) throw await unknownBatch(this.#store, batchId);
    checkOwnRun(batchId, begun, this.#account);
    return begun;
  }
}

function isUnderWay(batchId: string): Refused {
  return new Refused(`batch "${batchId}" is running; its rows can be tried again when it has ended`);
}

function nothingAgain(batchId: string, missing: boolean): Refused {
  const none = missing ? 'has a result for every row that was not skipped' : 'has no failed rows';
  return new Refused(`batch "${batchId}" ${none}; there is nothing to try again`);
}

type Moment = ReturnType<typeof localNow>;

function nothingToDo(batchId: string, { run, at }: BegunBatch, rows: number): BatchStatus {
  const counts = { completed: 0, failed: 0, skipped: 0, cancelled: 0, parked: 0 };
  const times = { startedAt: at, endedAt: at };
  return { batch: batchId, run, state: 'completed', reason: null, rows, open: 0, counts, underWay: [], ...times };
}
