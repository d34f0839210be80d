import { randomUUID } from 'node:crypto';
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
import {
  type GenerateInput,
  type Parked,
  type ProductionInput,
  type TakeOutcome,
  WORKFLOWS,
} from '../contracts/workflows';
import { accountHash, createHolds, isSkipped, type Store } from '../store';
import {
  approveShotUpdate,
  productionStatusQuery,
  resolveShotUpdate,
  reviseProductionUpdate,
} from '../workflows/messages';
import { checkSameTask, endedOrParked } from './single-task';
import { heldInWords } from './interrupted';
import { ifFound, liveStatus } from './live-status';
import { isServed } from './pollers';
import { type Begun, createProductionRecords, type ProductionRecords } from './production-records';
import { Refused } from './refused';
import { knowsSearchAttributes } from './search-attributes';
import { withSendingModes } from './sending-modes';
import { storedStatus } from './stored-status';
import { createTellTroubles } from './troubles';

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
  /** The production as its file has it, where people have directed it otherwise. Default: the same. */
  readonly written?: AssetRef;
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
  generate(request: GenerateRequest): Promise<TakeOutcome | Parked>;
  /** How a parked shot goes on, and which of its takes where several are; for a single task the production is `generations`. */
  resolve(productionId: string, shotId: string, decision: Decision, take?: number | null): Promise<void>;
  /**
   * Has a running production follow another version of itself, or renders that version where none runs.
   *
   * @param again shots to look at again although nothing in them has changed, as after another choice.
   */
  direct(request: RenderRequest, again: readonly string[]): Promise<{ readonly revised: boolean }>;
  /** Approves a take of a shot in review, and answers with its number. @param take null for the one that stands. */
  approve(productionId: string, shotId: string, take: number | null): Promise<number>;
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

  /** What a render is of, and by what rules it goes. */
  async function noteBegun(
    { productionId, production, plan, written = production }: RenderRequest,
    render: Pick<Begun, 'renderId' | 'at'>,
  ): Promise<void> {
    const deadlines = Object.fromEntries(plan.shots.map(({ id, deadlineSeconds }) => [id, deadlineSeconds]));
    const policies = Object.fromEntries(
      plan.shots.map(({ id, onUnclear, retryFailed, onFailure }) => [id, { onUnclear, retryFailed, onFailure }]),
    );
    const rules = { deadlines, policies, plan: await store.putJson(plan), written };
    await records.begin(productionId, { ...render, production, account, ...rules });
  }

  async function startRender(request: RenderRequest): Promise<void> {
    const { productionId, production, plan } = request;
    const renderId = randomUUID();
    const searchable = await knowsSearchAttributes(temporal.connection, namespace);
    const input: ProductionInput = {
      productionId,
      storeId: store.id,
      production,
      plan: await withSendingModes(plan, store, account),
      renderId,
      searchable,
    };
    // Before the start: a crash in between must not leave paid work that the store knows nothing of.
    await noteBegun(request, { renderId, at: new Date().toISOString() });
    await temporal.workflow.start(WORKFLOWS.production, {
      ...startOptions,
      workflowId: productionWorkflowId(store.id, productionId),
      args: [input],
      memo: { account },
      staticSummary: plan.title,
    });
  }

  async function checkPayer(productionId: string): Promise<void> {
    const { memo } = await handleOf(productionId).describe();
    const payer = String(memo?.['account']);
    if (payer === account) return;
    throw new Refused(`production "${productionId}" is running for the account ${payer}, and this is ${account}`);
  }

  /** Joins a running render where it is of the same file for the same account. */
  async function joinRender(request: RenderRequest): Promise<void> {
    const { productionId, production } = request;
    await checkPayer(productionId);
    const { renderId, frozen, startedAt } = await handleOf(productionId).query(productionStatusQuery);
    const isSame = frozen.sha256 === production.sha256;
    const begun = await records.begun(productionId);
    // Another command may have been about to begin or revise one at the same moment; the one that runs counts.
    if (begun?.renderId !== renderId || begun.production.sha256 !== frozen.sha256) {
      if (isSame) await noteBegun(request, { renderId, at: startedAt });
      else await records.begin(productionId, { renderId, production: frozen, account, at: startedAt });
    }
    if (isSame) return;
    throw new Refused(
      `production "${productionId}" is running with another version of its file; \`dailies edit ${productionId} FILE\` ` +
        `gives it this one. Or let it end, or run \`dailies cancel ${productionId}\`, then render again: what was paid for is kept`,
    );
  }

  /** False where the production has just come to its end: it is to be rendered again. */
  async function revise(request: RenderRequest, again: readonly string[]): Promise<boolean> {
    const { productionId, production } = request;
    const plan = await withSendingModes(request.plan, store, account);
    const handle = handleOf(productionId);
    await checkPayer(productionId);
    try {
      await handle.executeUpdate(reviseProductionUpdate, { args: [{ productionId, production, plan, again }] });
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      if (!(error instanceof WorkflowUpdateFailedError)) throw error;
      const { state } = await handle.query(productionStatusQuery);
      if (state === 'running') throw new Refused(error.cause?.message ?? error.message);
      await handle.result();
      return false;
    }
    const { renderId, startedAt } = await handle.query(productionStatusQuery);
    const begun = await records.begun(productionId);
    await noteBegun(request, { renderId, at: begun?.renderId === renderId ? begun.at : startedAt });
    return true;
  }

  async function isRunning(productionId: string): Promise<boolean> {
    return (await ifFound(handleOf(productionId).describe()))?.status.name === 'RUNNING';
  }

  return {
    records,
    status,
    async render(request) {
      let attached = await isRunning(request.productionId);
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
    async direct(request, again) {
      const revised = (await isRunning(request.productionId)) && (await revise(request, again));
      if (!revised) await startRender(request);
      await holds.release(request.productionId);
      return { revised };
    },
    async approve(productionId, shotId, take) {
      try {
        const handle = temporal.workflow.getHandle(shotWorkflowId(store.id, productionId, shotId));
        return await handle.executeUpdate(approveShotUpdate, { args: [{ take }] });
      } catch (error) {
        if (error instanceof WorkflowUpdateFailedError) throw new Refused(error.cause?.message ?? error.message);
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        throw new Refused(
          `shot "${shotId}" of "${productionId}" is not in review; see \`dailies status ${productionId}\``,
        );
      }
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
      const input: GenerateInput = {
        task: {
          productionId: GENERATIONS,
          production,
          shotId: generationId,
          links: [],
          renderId,
          attempt: 1,
          sibling: 0,
        },
        model: shot.model,
        output: shot.output,
        mode,
        deadlineSeconds: shot.deadlineSeconds,
        onUnclear: shot.onUnclear,
        retryFailed: shot.retryFailed,
        onFailure: shot.onFailure,
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
    async resolve(productionId, shotId, decision, take = null) {
      const workflowId =
        productionId === GENERATIONS
          ? generateWorkflowId(store.id, shotId)
          : shotWorkflowId(store.id, productionId, shotId);
      try {
        await temporal.workflow.getHandle(workflowId).executeUpdate(resolveShotUpdate, { args: [decision, take] });
      } catch (error) {
        if (error instanceof WorkflowUpdateFailedError) throw new Refused(error.cause?.message ?? error.message);
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        if (decision.kind === 'resubmit' && (await takeBackSkip(store, account, productionId, shotId))) return;
        throw new Refused(
          `shot "${shotId}" of "${productionId}" is not under way; see \`dailies status ${productionId}\``,
        );
      }
    },
    hasWorker: () => isServed(temporal.connection, namespace, taskQueue),
  };
}

/** A shot that was left out is asked for again, by the next render. False where its newest take was not left out. */
async function takeBackSkip(store: Store, account: string, productionId: string, shotId: string): Promise<boolean> {
  const takes = await store.ledger.takes(productionId, shotId);
  const take = takes.findLast(({ intent }) => intent.account === account);
  const skip = take?.decisions.at(-1);
  if (take === undefined || skip === undefined || !isSkipped(take)) return false;
  const { afterSending, parkedFor } = skip;
  const decision = { kind: 'resubmit', by: 'person', afterSending, parkedFor, at: new Date().toISOString() } as const;
  return store.ledger.decide({ productionId, shotId, take: take.take }, take.decisions.length + 1, decision);
}
