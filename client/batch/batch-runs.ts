import { randomUUID } from 'node:crypto';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { type BatchBounds, type BatchInput, type BatchRules, type BatchStatus } from '../../contracts/render/batch';
import { type BatchIndex } from '../../contracts/render/batch-page';
import { batchWorkflowId } from '../../contracts/identifiers';
import { readyInstant } from '../../contracts/file/ready-by';
import { WORKFLOWS } from '../../contracts/workflow-signatures';
import { type BegunBatch, ifReadable, type Quotes, readBatchIndex, type Store } from '../../store';
import { localNow } from '../records/local-now';
import { ifFound } from '../temporal/live-status';
import { targetOf } from '../freeze/plan-of';
import { refuseWhilePaused } from '../status/paused';
import { wrongAccount, Refused, unknownId } from '../wording/refused';
import { knowsSearchAttributes } from '../temporal/search-attributes';
import { type HandleOf, type StartOptions, startWorkflow } from '../temporal/start-workflow';
import { batchReport, liveBatch } from './batch-report';
import { type CheckedBatch } from '../batch-file/check-batch';
import { checkName, ownTarget } from './batch-name';
import { checkOwnRun, checkPayer } from './check-payer';
import { freezeBatch, freezing } from './freeze-batch';
import { planRetry, type RetryPlan } from './plan-retry';
import { rowsAgain } from './rows-again';

export interface BatchRequest extends BatchBounds {
  readonly batch: CheckedBatch;
  /** Absolute path of the batch file; null if a program gave it as an object. */
  readonly path: string | null;
  /** True if the person named the id. Then the id may belong to a batch from another file. */
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

/** Starts and stops runs of batches. A batch has at most one run at a time. */
export interface BatchRuns {
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
  start(request: BatchRequest): Promise<StartedBatch>;
  /**
   * Begins a run that renders rows of the last run again, as they were frozen. These are the failed rows; with
   * `missing`, all rows without a result except skipped ones.
   *
   * @throws Refused if the batch is unknown or paused, was rendered for another account, or has no such rows. Without
   *   `missing`, also if the batch is running. Also if another command begins a run at the same moment.
   */
  retryFailed(batchId: string, request?: RetryRequest): Promise<StartedBatch>;
  /**
   * Plans the rows and the cost of `retryFailed`. Sends and stores nothing.
   *
   * @throws Refused as `retryFailed` does; with `missing`, also if the batch is running.
   */
  planRetry(batchId: string, options: { readonly missing: boolean; readonly quotes: Quotes }): Promise<RetryPlan>;
  /**
   * Asks a running batch to drain: the batch pays for nothing new, and collects the tasks that are paid for.
   *
   * @throws Refused if the batch is unknown or not running.
   */
  cancel(batchId: string): Promise<void>;
}

export interface BatchRunsOptions {
  readonly temporal: Client;
  readonly store: Store;
  readonly account: string;
  readonly startOptions: StartOptions;
}

export function createBatchRuns({ temporal, store, account, startOptions }: BatchRunsOptions): BatchRuns {
  const { batches } = store;
  const handleOf = (batchId: string): HandleOf<'batch'> =>
    temporal.workflow.getHandle(batchWorkflowId(store.id, batchId));
  const isRunning = async (batchId: string): Promise<boolean> =>
    (await ifFound(handleOf(batchId).describe()))?.status.name === 'RUNNING';

  /** @throws Refused if the batch is unknown, or was rendered for another account. */
  async function lastRun(batchId: string): Promise<BegunBatch> {
    const begun = await batches.begun(batchId);
    if (begun === undefined) throw await unknownBatch(store, batchId);
    checkOwnRun(batchId, begun, account);
    return begun;
  }

  async function checkPause(batchId: string): Promise<void> {
    await refuseWhilePaused(store, 'batch', batchId, async () => {
      return batchReport(store, batchId, await liveBatch(temporal, store.id, batchId));
    });
  }

  /** Joins the current run if it has the same rows and account; otherwise refuses. */
  async function join(batchId: string, index: BatchIndex): Promise<StartedBatch> {
    const begun = await batches.begun(batchId);
    if (begun !== undefined && begun.account !== account) {
      throw wrongAccount(`batch "${batchId}" is running`, begun.account, account);
    }
    const running = begun && (await readBatchIndex(store.assets, begun.index));
    if (running?.content !== index.content) {
      throw new Refused(
        `batch "${batchId}" is running with other rows; let it end, or type: dailies batch cancel ${batchId}, ` +
          'then begin it again: what was paid for is kept',
      );
    }
    await release(store, account, batchId);
    return { is: 'joined', rows: running.rows, open: running.open };
  }

  async function begin(
    batchId: string,
    index: BatchIndex,
    { readyBy, ...rules }: BatchRules,
    { from, given }: { readonly from: Moment; readonly given: boolean },
  ): Promise<StartedBatch> {
    const ref = await store.putJson(index);
    const run = ((await batches.runs(batchId)).at(-1) ?? 0) + 1;
    const at = new Date().toISOString();
    const timed = readyBy && { ...readyBy, at: readyInstant(readyBy.rule, from) };
    const begun: BegunBatch = {
      ...{ run, renderId: randomUUID(), account, index: ref, at, ...rules },
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
    await store.prunes.waitForPrune();
    if (open === 0) {
      await batches.end(nothingToDo(batchId, begun, rows));
      return { is: 'nothing', rows, open };
    }
    const input: BatchInput = {
      batchId,
      storeId: store.id,
      run,
      index: ref,
      pages: index.pages.length,
      rows,
      open,
      renderId: begun.renderId,
      searchable: await knowsSearchAttributes(temporal.connection, temporal.options.namespace),
      ...rules,
      ...(timed === undefined ? {} : { readyBy: { ...timed, openByModel: index.openByModel ?? {} } }),
    };
    await release(store, account, batchId);
    try {
      await startWorkflow(temporal, WORKFLOWS.batch, {
        ...startOptions,
        workflowId: batchWorkflowId(store.id, batchId),
        args: [input],
        memo: { account },
        staticSummary: index.title,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await batches.withdraw(batchId, run);
      return join(batchId, index);
    }
    return { is: 'begun', rows, open };
  }

  return {
    async start({ batch, path, takeOver, ...rules }) {
      const from = localNow();
      await checkName(store, { batchId: batch.id, path, takeOver });
      await checkPause(batch.id);
      const index = await freezeBatch(batch, {
        target: ownTarget(store, batch.id),
        from,
        ...(await freezing(store, account, batch.id)),
      });
      const joined = (await isRunning(batch.id)) ? await join(batch.id, index) : undefined;
      if (joined === undefined) await checkPayer(store, account, batch.id);
      // Record the file only after these checks, so that a refused batch does not take the name.
      if (path !== null) await batches.noteSource(batch.id, { path, account, at: new Date().toISOString() });
      return joined ?? begin(batch.id, index, await rulesOfBatch(store, batch, rules), { from, given: path === null });
    },
    async retryFailed(batchId, { missing = false, ...rules } = {}) {
      const begun = await lastRun(batchId);
      const running = await isRunning(batchId);
      if (running && !missing) throw isUnderWay(batchId);
      await checkPause(batchId);
      const from = localNow();
      if (running) return join(batchId, await readBatchIndex(store.assets, begun.index));
      const index = await rowsAgain(store, begun, batchId, { again: missing ? 'missing' : 'failed', from });
      if (index.open === 0) throw nothingAgain(batchId, missing);
      const { parallel, stopAfterFailures, priority, notify, readyBy, given = false } = begun;
      const asBefore = {
        parallel,
        stopAfterFailures,
        ...(priority === undefined ? {} : { priority }),
        ...(notify === undefined ? {} : { notify }),
        ...(readyBy === undefined ? {} : { readyBy }),
      };
      return begin(batchId, index, { ...asBefore, ...rules }, { from, given });
    },
    async planRetry(batchId, { missing, quotes }) {
      const begun = await lastRun(batchId);
      if (await isRunning(batchId)) throw isUnderWay(batchId);
      await checkPause(batchId);
      const plan = await planRetry(store, begun, batchId, { again: missing ? 'missing' : 'failed', quotes });
      if (plan.open === 0) throw nothingAgain(batchId, missing);
      return plan;
    },
    async cancel(batchId) {
      if ((await batches.begun(batchId)) === undefined) throw await unknownBatch(store, batchId);
      if (!(await isRunning(batchId))) {
        throw new Refused(`batch "${batchId}" is not running; there is nothing to cancel`);
      }
      await handleOf(batchId).cancel();
    },
  };
}

function isUnderWay(batchId: string): Refused {
  return new Refused(`batch "${batchId}" is running; its failed rows can be tried again when it has ended`);
}

function nothingAgain(batchId: string, missing: boolean): Refused {
  const none = missing ? 'has a result for every row that was not skipped' : 'has no failed rows';
  return new Refused(`batch "${batchId}" ${none}; there is nothing to try again`);
}

/** All rules of a batch. Stores the address for notices, because the rules contain only the receiver's name. */
export async function rulesOfBatch(
  { notices }: Pick<Store, 'notices'>,
  { notify, readyBy, hasFallback }: Pick<CheckedBatch, 'notify' | 'readyBy' | 'hasFallback'>,
  bounds: BatchBounds,
): Promise<BatchRules> {
  if (notify !== null) await notices.putTarget(notify.url);
  return {
    ...bounds,
    ...(notify === null ? {} : { notify: targetOf(notify) }),
    ...(readyBy === null ? {} : { readyBy: { rule: readyBy, hasFallback } }),
  };
}

export async function unknownBatch({ batches }: Pick<Store, 'batches'>, batchId: string): Promise<Refused> {
  return unknownId('batch', batchId, await batches.ids());
}

type Moment = ReturnType<typeof localNow>;

/** Releases the holds of an interrupted batch and of the productions among its rows. */
async function release(store: Store, account: string, batchId: string): Promise<void> {
  const { holds } = store;
  const { productions } = store;
  await holds.release(batchId);
  for (const id of await productions.interrupted(account, batchId)) {
    const begun = await ifReadable(() => productions.begun(id));
    if (begun?.value?.batch === batchId) await holds.release(id);
  }
}

function nothingToDo(batchId: string, { run, at }: BegunBatch, rows: number): BatchStatus {
  const counts = { completed: 0, failed: 0, skipped: 0, cancelled: 0, parked: 0 };
  const times = { startedAt: at, endedAt: at };
  return { batch: batchId, run, state: 'completed', reason: null, rows, open: 0, counts, underWay: [], ...times };
}
