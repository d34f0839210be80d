import { WorkflowExecutionAlreadyStartedError, WorkflowIdConflictPolicy } from '@temporalio/client';
import { type AssetRef } from '../../contracts/asset';
import { type BudgetFigures } from '../../contracts/money/budget';
import { assembleWorkflowId, generateWorkflowId, productionWorkflowId } from '../../contracts/identifiers';
import { type ProductionStatus } from '../../contracts/status';
import { workflowQueue } from '../../contracts/task-queues';
import { type Parked, type TakeOutcome } from '../../contracts/workflows';
import { WORKFLOWS } from '../../contracts/workflow-signatures';
import { accountHash, type Productions } from '../../store';
import { type FindTask } from '../records/decide-in-ledger';
import { type Answers, createAnswers } from './answers';
import {
  type BatchReport,
  batchReport,
  BatchRuns,
  createRowViews,
  type LiveBatch,
  liveBatch,
  type RowViews,
} from '../batch';
import { refuseUnknownTasks } from '../books/unknown-tasks';
import { createBudgets } from '../status/budgets';
import { createStatusReader, type StatusReader, type StatusReaderOptions } from '../status/status-reader';
import { assembledFilm, type FilmSoFar } from '../output/film-so-far';
import { ifFound, liveStatus } from '../temporal/live-status';
import { isServed } from '../temporal/pollers';
import { type ArbiterHandle, createArbiterHandle } from '../temporal/limits';
import { withOwnSignal } from '../temporal/own-signal';
import { Refused, unknownProduction } from '../wording/refused';
import { createRenders, type Renders } from '../renders';
import { createSchedules, type Schedules } from '../schedules/schedules';
import { setRunningBudget } from '../temporal/running-budget';
import { knowsSearchAttributes } from '../temporal/search-attributes';
import { type BegunTask, checkSameTask, endedOrParked, type GenerateRequest, singleTaskInput } from './single-task';
import { type HandleOf, startOptionsFor, startWorkflow } from '../temporal/start-workflow';

export interface DailiesClientOptions extends StatusReaderOptions {
  /** Lets a person adopt a task that no workflow waits for. Default: such a task cannot be adopted. */
  readonly findTask?: FindTask;
}

/**
 * Productions, batches and single tasks of one account and one store. Methods throw Refused if the current state does
 * not allow the call.
 */
export interface DailiesClient extends Answers, StatusReader, Pick<Renders, 'render' | 'direct'> {
  readonly productions: Productions;
  /** The arbiter that grants the account's submits if limits are in force. */
  readonly arbiter: ArbiterHandle;
  /** Productions and batches that start at given times. */
  readonly schedules: Schedules;
  /** Resolves with the last status when the production has ended. Rejects if the signal aborts. */
  ended(productionId: string, signal?: AbortSignal): Promise<ProductionStatus>;
  /** @throws Refused if Temporal knows tasks of the production that the ledger does not have. */
  refuseUnknownTasks(productionId: string): Promise<void>;
  /** Makes a running production drain: it pays for nothing new, and collects the tasks that are paid for. */
  cancel(productionId: string): Promise<void>;
  /** Begins a task, or joins it if it is running. */
  beginTask(request: GenerateRequest): Promise<BegunTask>;
  /** Resolves when the task has ended, or as soon as it is parked. */
  generate(request: GenerateRequest): Promise<TakeOutcome | Parked>;
  /** Assembles the film so far. An identical film is not assembled again. */
  assemble(film: FilmSoFar): Promise<AssetRef>;
  /**
   * Sets a production's budget. It also applies to later renders until the file's budget changes.
   *
   * @returns the budget's figures; undefined if the production is not running.
   */
  setBudget(productionId: string, credits: number): Promise<BudgetFigures | undefined>;
  readonly batches: Pick<BatchRuns, keyof BatchRuns> & {
    /** The state of the batch's workflow, which can be read every second at little cost. */
    live(batchId: string): Promise<LiveBatch>;
    /** The whole report, read from the store page by page; undefined if the batch has never begun. */
    report(batchId: string): Promise<BatchReport | undefined>;
    /** Reads some of a batch's rows at a time. Keeps tables of rows in memory. */
    readonly rows: RowViews;
  };
  /** Whether a worker serves this account and store. */
  hasWorker(): Promise<boolean>;
}

export function createDailiesClient({
  temporal,
  store,
  account,
  prices = {},
  findTask,
}: DailiesClientOptions): DailiesClient {
  const { productions } = store;
  const budgets = createBudgets(store);
  const taskQueue = workflowQueue({ account: accountHash(account), storeId: store.id });
  const namespace = temporal.options.namespace;
  const handleOf = (productionId: string): HandleOf<'production'> =>
    temporal.workflow.getHandle(productionWorkflowId(store.id, productionId));
  const arbiter = createArbiterHandle(temporal, store, account);
  const startOptions = startOptionsFor(taskQueue);

  async function beginTask(request: GenerateRequest): Promise<BegunTask> {
    const { generationId, production } = request;
    const input = singleTaskInput(request, await knowsSearchAttributes(temporal.connection, namespace));
    const workflowId = generateWorkflowId(store.id, generationId);
    const memo = { account, production: production.sha256 };
    const handle: HandleOf<'generate'> = temporal.workflow.getHandle(workflowId);
    try {
      await startWorkflow(temporal, WORKFLOWS.generate, { ...startOptions, workflowId, args: [input], memo });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await checkSameTask(handle, generationId, memo);
    }
    return { ended: (signal) => endedOrParked(handle, signal) };
  }

  const statuses = createStatusReader({ temporal, store, account, prices });
  const status: StatusReader['status'] = (productionId) => statuses.status(productionId);
  const renders = createRenders({ temporal, store, account, startOptions, status });
  const runs = new BatchRuns({ temporal, store, account, startOptions });

  return {
    productions,
    arbiter,
    schedules: createSchedules({ temporal, store, account, startOptions, renders, status }),
    ...statuses,
    refuseUnknownTasks: (productionId) => refuseUnknownTasks({ temporal, store, account }, productionId),
    render: (request) => renders.render(request),
    direct: (request, again) => renders.direct(request, again),
    ...createAnswers(temporal, store, account, findTask),
    async ended(productionId, signal = new AbortController().signal) {
      const handle = handleOf(productionId);
      try {
        return await withOwnSignal(signal, (own) => temporal.withAbortSignal(own.signal, () => handle.result()));
      } catch (error) {
        if (signal.aborted) throw error;
        const live = await liveStatus(handle);
        const last = live.is === 'unknown' ? await productions.archived(productionId) : live.status;
        if (last === undefined) throw error;
        return last;
      }
    },
    async cancel(productionId) {
      const handle = handleOf(productionId);
      const described = await ifFound(handle.describe());
      if (described?.status.name === 'RUNNING') {
        await handle.cancel();
        return;
      }
      const exists = described !== undefined || (await productions.archived(productionId)) !== undefined;
      if (!exists) throw unknownProduction(productionId, await productions.ids());
      throw new Refused(`production "${productionId}" is not running; there is nothing to cancel`);
    },
    beginTask,
    async generate(request) {
      const outcome = await (await beginTask(request)).ended(new AbortController().signal);
      if (outcome === undefined) throw new Error('the wait ended without an outcome, although nobody aborted it');
      return outcome;
    },
    async assemble({ input, key }) {
      const workflowId = assembleWorkflowId(store.id, `films/${key}`);
      return assembledFilm(
        startWorkflow(temporal, WORKFLOWS.assemble, {
          ...startOptions,
          workflowId,
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
          args: [input],
        }),
      );
    },
    async setBudget(productionId, credits) {
      if ((await productions.begun(productionId)) === undefined)
        throw unknownProduction(productionId, await productions.ids());
      let figures: BudgetFigures | undefined;
      if (await renders.isRunning(productionId)) {
        await renders.checkPayer(productionId);
        figures = await setRunningBudget(handleOf(productionId), productionId, credits);
      }
      await budgets.give(productionId, credits);
      return figures;
    },
    batches: {
      start: (request) => runs.start(request),
      retryFailed: (batchId, request) => runs.retryFailed(batchId, request),
      planRetry: (batchId, options) => runs.planRetry(batchId, options),
      cancel: (batchId) => runs.cancel(batchId),
      rows: createRowViews(store),
      live: (batchId) => liveBatch(temporal, store.id, batchId),
      report: async (batchId) => batchReport(store, batchId, await liveBatch(temporal, store.id, batchId)),
    },
    hasWorker: () => isServed(temporal.connection, namespace, taskQueue),
  };
}
