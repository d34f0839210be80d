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
import { accountHash, createHolds, isSkipped, type Store, type TakeHistory } from '../store';
import { productionStatusQuery, resolveShotUpdate, taskStatusQuery } from '../workflows/messages';
import { currentTakes } from './current-takes';
import { heldInWords } from './interrupted';
import { ifFound, liveStatus } from './live-status';
import { takesOf } from './manifest';
import { isServed } from './pollers';
import { createProductionRecords, type ProductionRecords } from './production-records';
import { readFrozen } from './read-frozen';
import { Refused } from './refused';
import { knowsSearchAttributes } from './search-attributes';
import { storedStatus } from './stored-status';
import { createTellTroubles } from './troubles';

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
  /** Starts a render, or attaches to the one that is running; a production that was held goes on. */
  render(request: RenderRequest): Promise<{ readonly attached: boolean }>;
  /**
   * Running or ended, by Temporal's account or else the store's; undefined for a production that neither knows.
   *
   * Of a running one it also tells what holds up its shots, looked up every few seconds at most.
   */
  status(productionId: string): Promise<ProductionStatus | undefined>;
  /** Resolves when the production has ended, with its last status. */
  ended(productionId: string): Promise<ProductionStatus>;
  /** Asks a running production to drain: nothing new is paid for, what is paid for is collected. */
  cancel(productionId: string): Promise<void>;
  /** Resolves when the task has ended, or as soon as it is parked. */
  generate(request: GenerateRequest): Promise<ShotOutcome | Parked>;
  /**
   * How a parked shot goes on; for a single task the production is `generations`. Where it is not under way, only a shot
   * that was left out can be asked for again.
   *
   * @returns whether it goes on by itself; else the next render does it.
   */
  resolve(productionId: string, shotId: string, decision: Decision): Promise<{ readonly goesOn: boolean }>;
  /** Whether any worker serves this account and store. */
  hasWorker(): Promise<boolean>;
}

export function createDailiesClient({ temporal, store, account }: DailiesClientOptions): DailiesClient {
  const records = createProductionRecords(store);
  const holds = createHolds(store.records);
  const taskQueue = workflowQueue({ account: accountHash(account), storeId: store.id });
  const namespace = temporal.options.namespace;
  const handleOf = (productionId: string): WorkflowHandle =>
    temporal.workflow.getHandle(productionWorkflowId(store.id, productionId));
  const tellTroubles = createTellTroubles((productionId, shotId) =>
    temporal.workflow.getHandle(shotWorkflowId(store.id, productionId, shotId)),
  );
  const startOptions = {
    taskQueue,
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
  } as const;

  async function status(productionId: string): Promise<ProductionStatus | undefined> {
    const live = await liveStatus(handleOf(productionId));
    if (live.is === 'unknown') return storedStatus(store, account, productionId);
    if (live.is === 'ended') return live.status;
    const hold = await holds.held(productionId);
    const known = hold === undefined ? live.status : { ...live.status, reason: heldInWords(hold) };
    return tellTroubles(known);
  }

  async function startRender({ productionId, production, plan }: RenderRequest): Promise<void> {
    const renderId = randomUUID();
    const searchable = await knowsSearchAttributes(temporal.connection, namespace);
    const input: ProductionInput = { productionId, storeId: store.id, production, plan, renderId, searchable };
    // Before the start: a crash in between must not leave paid work that the store knows nothing of.
    const deadlines = Object.fromEntries(plan.shots.map(({ id, deadlineSeconds }) => [id, deadlineSeconds]));
    const policies = Object.fromEntries(
      plan.shots.map(({ id, onUnclear, retryFailed }) => [id, { onUnclear, retryFailed }]),
    );
    const at = new Date().toISOString();
    await records.begin(productionId, { renderId, production, account, at, deadlines, policies });
    await temporal.workflow.start(WORKFLOWS.production, {
      ...startOptions,
      workflowId: productionWorkflowId(store.id, productionId),
      args: [input],
      memo: { account },
      staticSummary: plan.title,
    });
  }

  /** Joins a running render where it is of the same file for the same account. */
  async function joinRender({ productionId, production }: RenderRequest): Promise<void> {
    const handle = handleOf(productionId);
    const { memo } = await handle.describe();
    const payer = String(memo?.['account']);
    const { renderId, frozen, startedAt } = await handle.query(productionStatusQuery);
    // Another command may have been about to begin one at the same moment; the one that runs counts.
    if ((await records.begun(productionId))?.renderId !== renderId) {
      await records.begin(productionId, { renderId, production: frozen, account: payer, at: startedAt });
    }
    if (payer !== account) {
      throw new Refused(`production "${productionId}" is running for the account ${payer}, and this is ${account}`);
    }
    if (frozen.sha256 !== production.sha256) {
      throw new Refused(
        `production "${productionId}" is running with an earlier version of its file; ` +
          `let it end, or run \`dailies cancel ${productionId}\`, then render again: what was paid for is kept`,
      );
    }
  }

  return {
    records,
    status,
    async render(request) {
      const described = await ifFound(handleOf(request.productionId).describe());
      let attached = described?.status.name === 'RUNNING';
      try {
        if (!attached) await startRender(request);
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        attached = true;
      }
      if (attached) await joinRender(request);
      await holds.release(request.productionId);
      return { attached };
    },
    async ended(productionId) {
      const handle = handleOf(productionId);
      try {
        return (await handle.result()) as ProductionStatus;
      } catch (error) {
        const live = await liveStatus(handle);
        const last = live.is === 'unknown' ? await records.archived(productionId) : live.status;
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
      const workflowId = generateWorkflowId(store.id, generationId);
      const memo = { account, production: production.sha256 };
      const handle = temporal.workflow.getHandle(workflowId);
      try {
        await temporal.workflow.start(WORKFLOWS.generate, { ...startOptions, workflowId, args: [input], memo });
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        await checkSameTask(handle, generationId, memo);
      }
      return endedOrParked(handle);
    },
    async resolve(productionId, shotId, decision) {
      const workflowId =
        productionId === GENERATIONS
          ? generateWorkflowId(store.id, shotId)
          : shotWorkflowId(store.id, productionId, shotId);
      try {
        await temporal.workflow.getHandle(workflowId).executeUpdate(resolveShotUpdate, { args: [decision] });
        return { goesOn: true };
      } catch (error) {
        if (error instanceof WorkflowUpdateFailedError) throw new Refused(error.cause?.message ?? error.message);
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        if (decision.kind === 'resubmit' && (await takeBackSkip(store, account, productionId, shotId))) {
          return { goesOn: false };
        }
        throw new Refused(
          `shot "${shotId}" of "${productionId}" is not under way; see \`dailies status ${productionId}\``,
        );
      }
    },
    hasWorker: () => isServed(temporal.connection, namespace, taskQueue),
  };
}

/** A shot that was left out is asked for again, by the next render. False where the take in question was not left out. */
async function takeBackSkip(store: Store, account: string, productionId: string, shotId: string): Promise<boolean> {
  const take = await takeAskedFor(store, account, productionId, shotId);
  const skip = take?.decisions.at(-1);
  if (take === undefined || skip === undefined || !isSkipped(take)) return false;
  const { afterSending, parkedFor } = skip;
  const decision = { kind: 'resubmit', by: 'person', afterSending, parkedFor, at: new Date().toISOString() } as const;
  return store.ledger.decide({ productionId, shotId, take: take.take }, take.decisions.length + 1, decision);
}

/** The take that the last render of the shot asked for; it need not be the newest. */
async function takeAskedFor(
  store: Store,
  account: string,
  productionId: string,
  shotId: string,
): Promise<TakeHistory | undefined> {
  const takes = await takesOf(store, account, productionId);
  const begun = await createProductionRecords(store).begun(productionId);
  if (begun === undefined || !(await store.assets.has(begun.production))) return takes.get(shotId)?.at(-1);
  return currentTakes(account, await readFrozen(store.assets, begun.production), takes).get(shotId);
}

/** Resolves when the task has ended, or is parked; and asks no more then, since the connection may be closed. */
async function endedOrParked(handle: WorkflowHandle): Promise<ShotOutcome | Parked> {
  const over = new AbortController();
  const ask = <T>(call: () => Promise<T>): Promise<T> => handle.client.withAbortSignal(over.signal, call);
  const ended = ask(() => handle.result() as Promise<ShotOutcome>);
  const parked = async (): Promise<ShotOutcome | Parked> => {
    for (;;) {
      await sleep(LOOK_EVERY_MS);
      if (over.signal.aborted) return ended;
      const standing = await ask(() => handle.query(taskStatusQuery)).catch(() => null);
      if (standing !== null && 'for' in standing) return standing;
    }
  };
  try {
    return await Promise.race([ended, parked()]);
  } finally {
    over.abort();
  }
}

/** A single task that is running is joined only by the same request of the same account. */
async function checkSameTask(
  handle: WorkflowHandle,
  generationId: string,
  asked: Readonly<Record<string, string>>,
): Promise<void> {
  const { memo } = await handle.describe();
  if (Object.entries(asked).every(([name, value]) => memo?.[name] === value)) return;
  throw new Refused(
    `task "${generationId}" is running for another request or account; let it end, or name this one by another --id`,
  );
}
