import { type AssetRef } from '../../contracts/asset';
import { type BudgetFigures } from '../../contracts/money/budget';
import { type ProductionStatus } from '../../contracts/status';
import { workflowQueue } from '../../contracts/task-queues';
import { type Parked, type TakeOutcome } from '../../contracts/workflows';
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
import { assembleFilm, type FilmSoFar } from '../output/film-so-far';
import { isServed } from '../temporal/pollers';
import { type ArbiterHandle, createArbiterHandle } from '../temporal/limits';
import { createRenders, type Renders } from '../renders';
import { Schedules } from '../schedules/schedules';
import { cancel, ended, setBudget } from './running-production';
import { beginTask, type BegunTask, generate, type GenerateRequest } from './single-task';
import { startOptionsFor } from '../temporal/start-workflow';

export interface DailiesClientOptions extends StatusReaderOptions {
  /** Lets a person adopt a task that no workflow waits for. Default: such a task cannot be adopted. */
  readonly findTask?: FindTask;
}

/**
 * Productions, batches and single tasks of one account and one store. Methods throw Refused if the current state does
 * not allow the call.
 */
export interface DailiesClient extends Answers, StatusReader, Pick<Renders, 'render' | 'direct' | 'isRunning'> {
  readonly productions: Productions;
  /** The arbiter that grants leases for the account's submits if limits are in force. */
  readonly arbiter: ArbiterHandle;
  /** Productions and batches that start at given times. */
  readonly schedules: Schedules;
  /**
   * Resolves with the last status when the production has ended. If the wait fails, resolves with the known status,
   * which may be `running`. Rejects if the signal aborts, or if no status can be read.
   */
  ended(productionId: string, signal?: AbortSignal): Promise<ProductionStatus>;
  /** @throws Refused if Temporal knows tasks of the production that the ledger does not have. */
  refuseUnknownTasks(productionId: string): Promise<void>;
  /** Makes a running production drain: it pays for nothing new, and collects the tasks that are paid for. */
  cancel(productionId: string): Promise<void>;
  /** Begins a task, or joins it if it is running. */
  beginTask(request: GenerateRequest): Promise<BegunTask>;
  /** As `beginTask`, but resolves when the task has ended or is parked. */
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
    /** The state of the batch's workflow. Each read costs little, so callers may read it every second. */
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
  const taskQueue = workflowQueue({ account: accountHash(account), storeId: store.id });
  const context = { temporal, store, account, startOptions: startOptionsFor(taskQueue) };
  const budgets = createBudgets(store);
  const statuses = createStatusReader({ temporal, store, account, prices });
  const status: StatusReader['status'] = (productionId) => statuses.status(productionId);
  const renders = createRenders({ ...context, status });
  const runs = new BatchRuns(context);

  return {
    productions: store.productions,
    arbiter: createArbiterHandle(temporal, store, account),
    schedules: new Schedules({ ...context, renders, status }),
    ...statuses,
    refuseUnknownTasks: (productionId) => refuseUnknownTasks(context, productionId),
    render: (request) => renders.render(request),
    direct: (request, again) => renders.direct(request, again),
    isRunning: (productionId) => renders.isRunning(productionId),
    ...createAnswers(temporal, store, account, findTask),
    ended: (productionId, signal) => ended(context, productionId, signal),
    cancel: (productionId) => cancel(context, productionId),
    beginTask: (request) => beginTask(context, request),
    generate: (request) => generate(context, request),
    assemble: (film) => assembleFilm(context, film),
    setBudget: (productionId, credits) => setBudget(context, { renders, budgets }, productionId, credits),
    batches: {
      start: (request) => runs.start(request),
      retryFailed: (batchId, request) => runs.retryFailed(batchId, request),
      goOn: (batchId) => runs.goOn(batchId),
      planRetry: (batchId, options) => runs.planRetry(batchId, options),
      cancel: (batchId) => runs.cancel(batchId),
      rows: createRowViews(store),
      live: (batchId) => liveBatch(temporal, store.id, batchId),
      report: async (batchId) => batchReport(store, batchId, await liveBatch(temporal, store.id, batchId)),
    },
    hasWorker: () => isServed(temporal.connection, temporal.options.namespace, taskQueue),
  };
}
