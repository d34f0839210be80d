import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowHandle,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { type AssetRef } from '../contracts/asset';
import { type Decision } from '../contracts/decision';
import { GENERATIONS, generateWorkflowId, productionWorkflowId, shotWorkflowId } from '../contracts/identifiers';
import { type PlannedShot, type ProductionPlan } from '../contracts/plan';
import { type ProductionStatus } from '../contracts/status';
import { workflowQueue } from '../contracts/task-queues';
import { type Parked, type ProductionInput, type ShotInput, type ShotOutcome, WORKFLOWS } from '../contracts/workflows';
import { accountHash, type Store } from '../store';
import { productionStatusQuery, resolveShotUpdate, taskStatusQuery } from '../workflows/messages';
import { createProductionRecords, type ProductionRecords } from './production-records';
import { Refused } from './refused';
import { knowsSearchAttributes } from './search-attributes';

/** A look is a query that a worker answers in some 10 ms. */
const LOOK_EVERY_MS = 500;

/** A lost worker's workflow task is given to another after this long. */
const WORKFLOW_TASK_TIMEOUT = '5 seconds';

export interface DailiesClientOptions {
  readonly temporal: Client;
  readonly store: Store;
  readonly account: string;
}

/** A checked and frozen production, ready to render. */
export interface RenderRequest {
  readonly productionId: string;
  readonly production: AssetRef;
  readonly plan: ProductionPlan;
}

export interface GenerateRequest {
  /** Names the generation; the same one again finds what it has paid for. */
  readonly generationId: string;
  readonly production: AssetRef;
  readonly shot: PlannedShot;
  readonly mode: 'submit' | 'execute';
}

/** Productions and single tasks of one account and one store. What cannot be done as things stand throws Refused. */
export interface DailiesClient {
  readonly records: ProductionRecords;
  /** Starts a render, or attaches to the one that is running. */
  render(request: RenderRequest): Promise<{ readonly attached: boolean }>;
  /** Running or ended; undefined for a production that this store does not know. */
  status(productionId: string): Promise<ProductionStatus | undefined>;
  /** Resolves when the production has ended, with its last status. */
  ended(productionId: string): Promise<ProductionStatus>;
  /** Asks a running production to drain: nothing new is paid for, what is paid for is collected. */
  cancel(productionId: string): Promise<void>;
  /** Resolves when the task has ended, or as soon as it is parked. */
  generate(request: GenerateRequest): Promise<ShotOutcome | Parked>;
  /** How a parked shot goes on; for a single task the production is `generations`. */
  resolve(productionId: string, shotId: string, decision: Decision): Promise<void>;
  /** Whether any worker serves this account and store. */
  hasWorker(): Promise<boolean>;
}

export function createDailiesClient({ temporal, store, account }: DailiesClientOptions): DailiesClient {
  const records = createProductionRecords(store);
  const taskQueue = workflowQueue({ account: accountHash(account), storeId: store.id });
  const namespace = temporal.options.namespace;
  const handleOf = (productionId: string): WorkflowHandle =>
    temporal.workflow.getHandle(productionWorkflowId(store.id, productionId));
  const startOptions = {
    taskQueue,
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
  } as const;

  async function status(productionId: string): Promise<ProductionStatus | undefined> {
    const handle = handleOf(productionId);
    const described = await ifFound(handle.describe());
    const archived = await records.archived(productionId);
    if (described === undefined) return archived;
    if (described.status.name === 'RUNNING') return handle.query(productionStatusQuery);
    const input = described.status.name === 'COMPLETED' ? archived : undefined;
    return input ?? lastWords(handle, described.status.name);
  }

  return {
    records,
    status,
    async render({ productionId, production, plan }) {
      const input: ProductionInput = {
        productionId,
        storeId: store.id,
        production,
        plan,
        renderId: randomUUID(),
        searchable: await knowsSearchAttributes(temporal.connection, namespace),
      };
      try {
        await temporal.workflow.start(WORKFLOWS.production, {
          ...startOptions,
          workflowId: productionWorkflowId(store.id, productionId),
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
          args: [input],
          memo: { account },
          staticSummary: plan.title,
        });
        await records.begin(productionId, { renderId: input.renderId, production, at: new Date().toISOString() });
        return { attached: false };
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        await checkSameRender(handleOf(productionId), productionId, production, account);
        return { attached: true };
      }
    },
    async ended(productionId) {
      const handle = handleOf(productionId);
      try {
        return (await handle.result()) as ProductionStatus;
      } catch (error) {
        const last = await status(productionId);
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
      const known = described !== undefined || (await records.archived(productionId)) !== undefined;
      throw new Refused(
        known
          ? `production "${productionId}" is not running; there is nothing to cancel`
          : `no production "${productionId}" is known here; see \`dailies list\``,
      );
    },
    async generate({ generationId, production, shot, mode }) {
      const renderId = randomUUID();
      const input: ShotInput = {
        task: { productionId: GENERATIONS, production, shotId: generationId, links: [], renderId, attempt: 1 },
        model: shot.model,
        output: shot.output,
        mode,
        deadlineSeconds: shot.deadlineSeconds,
        onUnclear: shot.onUnclear,
        retryFailed: shot.retryFailed,
        searchable: await knowsSearchAttributes(temporal.connection, namespace),
      };
      const handle = await temporal.workflow.start(WORKFLOWS.generate, {
        ...startOptions,
        workflowId: generateWorkflowId(store.id, generationId),
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        args: [input],
      });
      return Promise.race([handle.result() as Promise<ShotOutcome>, parkedTask(handle)]);
    },
    async resolve(productionId, shotId, decision) {
      const workflowId =
        productionId === GENERATIONS
          ? generateWorkflowId(store.id, shotId)
          : shotWorkflowId(store.id, productionId, shotId);
      try {
        await temporal.workflow.getHandle(workflowId).executeUpdate(resolveShotUpdate, { args: [decision] });
      } catch (error) {
        if (error instanceof WorkflowUpdateFailedError) throw new Refused(error.cause?.message ?? error.message);
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        throw new Refused(
          `shot "${shotId}" of "${productionId}" is not under way; see \`dailies status ${productionId}\``,
        );
      }
    },
    async hasWorker() {
      const { pollers } = await temporal.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: taskQueue },
      });
      return pollers.length > 0;
    },
  };
}

/** Resolves when the task is parked; never, where it ends without. */
async function parkedTask(handle: WorkflowHandle): Promise<Parked> {
  for (;;) {
    await sleep(LOOK_EVERY_MS);
    const standing = await handle.query(taskStatusQuery).catch(() => null);
    if (standing !== null && 'for' in standing) return standing;
    // Ended: the result is on its way.
    if (standing !== null) return new Promise(() => undefined);
  }
}

/** A running production is joined only where it renders the same file for the same account. */
async function checkSameRender(
  handle: WorkflowHandle,
  productionId: string,
  production: AssetRef,
  account: string,
): Promise<void> {
  const { memo } = await handle.describe();
  const running = memo?.['account'];
  if (running !== account) {
    throw new Refused(
      `production "${productionId}" is running for the account ${String(running)}, and this is ${account}`,
    );
  }
  const { frozen } = await handle.query(productionStatusQuery);
  if (frozen.sha256 !== production.sha256) {
    throw new Refused(
      `production "${productionId}" is running with an earlier version of its file; ` +
        `let it end, or run \`dailies cancel ${productionId}\`, then render again: what was paid for is kept`,
    );
  }
}

/** The status of a production that was ended from outside, as by Temporal's own terminate. */
async function lastWords(handle: WorkflowHandle, ending: string): Promise<ProductionStatus> {
  const last = await handle.query(productionStatusQuery);
  if (last.state !== 'running') return last;
  return { ...last, state: 'cancelled', reason: `its workflow was ended from outside: ${ending}` };
}

async function ifFound<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
