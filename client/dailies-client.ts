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
import { type BudgetFigures } from '../contracts/budget';
import { type Decision } from '../contracts/decision';
import {
  assembleWorkflowId,
  GENERATIONS,
  generateWorkflowId,
  productionWorkflowId,
  shotWorkflowId,
} from '../contracts/identifiers';
import { type ProductionPlan } from '../contracts/plan';
import { type ProductionStatus } from '../contracts/status';
import { workflowQueue } from '../contracts/task-queues';
import { type Parked, type ProductionInput, type TakeOutcome, WORKFLOWS } from '../contracts/workflows';
import { accountHash, createHolds, outlastPrunes, type Store } from '../store';
import {
  approveShotUpdate,
  productionStatusQuery,
  resolveShotUpdate,
  reviseProductionUpdate,
} from '../workflows/messages';
import { createBudgets } from './budgets';
import { asHeld } from './held';
import { ifFound, liveStatus } from './live-status';
import { endOldPause, standingPause } from './paused';
import { assembledFilm, type FilmSoFar } from './film-so-far';
import { isServed } from './pollers';
import { type Begun, createProductionRecords, type ProductionRecords } from './production-records';
import { Refused, unknownProduction } from './refused';
import { checkRunningBudget, setRunningBudget } from './running-budget';
import { knowsSearchAttributes } from './search-attributes';
import { checkSameTask, endedOrParked, type GenerateRequest, singleTaskInput } from './single-task';
import { withSendingModes } from './sending-modes';
import { storedStatus } from './stored-status';
import { takeBackSkip } from './take-back-skip';
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

/** Productions and single tasks of one account and one store. What cannot be done as things stand throws Refused. */
export interface DailiesClient {
  readonly records: ProductionRecords;
  /** Starts a render, or attaches to the one that is running. One that was interrupted goes on; a paused one refuses. */
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
  /** Puts a film together of what there is; one that was put together before is found. */
  assemble(film: FilmSoFar): Promise<AssetRef>;
  /**
   * How a parked shot goes on, and which of its takes where several are; for a single task the production is `generations`.
   * Where it is not under way, only a shot that was left out can be asked for again.
   *
   * @returns whether it goes on by itself; else the next render does it.
   */
  resolve(
    productionId: string,
    shotId: string,
    decision: Decision,
    take?: number | null,
  ): Promise<{ readonly goesOn: boolean }>;
  /**
   * Has a running production follow another version of itself, or renders that version where none runs.
   *
   * @param again shots to look at again although nothing in them has changed, as after another choice.
   */
  direct(request: RenderRequest, again: readonly string[]): Promise<{ readonly revised: boolean }>;
  /** Approves a take of a shot in review, and answers with its number. @param take null for the one that stands. */
  approve(productionId: string, shotId: string, take: number | null): Promise<number>;
  /**
   * Gives a production another budget, which also holds in later renders until its file has another one.
   *
   * @returns where it stands then; undefined where the production is not running.
   */
  setBudget(productionId: string, credits: number): Promise<BudgetFigures | undefined>;
  /** Whether any worker serves this account and store. */
  hasWorker(): Promise<boolean>;
}

export function createDailiesClient({ temporal, store, account }: DailiesClientOptions): DailiesClient {
  const records = createProductionRecords(store);
  const holds = createHolds(store.records);
  const budgets = createBudgets(store);
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
    return tellTroubles(asHeld(live.status, await holds.held(productionId)));
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

  /** The file's plan, with what people have said beside the file, and with what is known of its models. */
  async function planToRun({ productionId, plan }: RenderRequest): Promise<ProductionPlan> {
    return withSendingModes(await budgets.planInForce(productionId, plan), store, account);
  }

  async function startRender(request: RenderRequest): Promise<void> {
    const { productionId, production } = request;
    const plan = await planToRun(request);
    const renderId = randomUUID();
    const searchable = await knowsSearchAttributes(temporal.connection, namespace);
    const input: ProductionInput = { productionId, storeId: store.id, production, plan, renderId, searchable };
    // Before the start: a crash in between must not leave paid work that the store knows nothing of.
    await noteBegun(request, { renderId, at: new Date().toISOString() });
    // A prune that begins from here on sees that this one is open.
    await outlastPrunes(store.records);
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
    if (isSame) {
      const { budget } = await budgets.planInForce(productionId, request.plan);
      return checkRunningBudget(handleOf(productionId), productionId, budget);
    }
    throw new Refused(
      `production "${productionId}" is running with another version of its file; \`dailies edit ${productionId} FILE\` ` +
        `gives it this one. Or let it end, or run \`dailies cancel ${productionId}\`, then render again: what was paid for is kept`,
    );
  }

  /** False where the production has just come to its end: it is to be rendered again. */
  async function revise(request: RenderRequest, again: readonly string[]): Promise<boolean> {
    const { productionId, production } = request;
    const plan = await planToRun(request);
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
      await endOldPause(store, request.productionId, () => status(request.productionId));
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
      if (!revised) {
        // One that is paused may be directed too: it stays paused, and buys nothing until it is resumed.
        await standingPause(store, request.productionId, () => status(request.productionId));
        await startRender(request);
      }
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
      if (!known) throw unknownProduction(productionId);
      throw new Refused(`production "${productionId}" is not running; there is nothing to cancel`);
    },
    async generate(request) {
      const { generationId, production } = request;
      const input = singleTaskInput(request, await knowsSearchAttributes(temporal.connection, namespace));
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
    async assemble({ input, key }) {
      const workflowId = assembleWorkflowId(store.id, key);
      return assembledFilm(
        temporal.workflow.start(WORKFLOWS.assemble, {
          ...startOptions,
          workflowId,
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
          args: [input],
        }),
      );
    },
    async resolve(productionId, shotId, decision, take = null) {
      const workflowId =
        productionId === GENERATIONS
          ? generateWorkflowId(store.id, shotId)
          : shotWorkflowId(store.id, productionId, shotId);
      try {
        await temporal.workflow.getHandle(workflowId).executeUpdate(resolveShotUpdate, { args: [decision, take] });
        return { goesOn: true };
      } catch (error) {
        if (error instanceof WorkflowUpdateFailedError) throw new Refused(error.cause?.message ?? error.message);
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        if (decision.kind === 'resubmit' && (await takeBackSkip(store, account, { productionId, shotId }, take))) {
          return { goesOn: false };
        }
        throw new Refused(
          `shot "${shotId}" of "${productionId}" is not under way; see \`dailies status ${productionId}\``,
        );
      }
    },
    async setBudget(productionId, credits) {
      if ((await records.begun(productionId)) === undefined) throw unknownProduction(productionId);
      let figures: BudgetFigures | undefined;
      if (await isRunning(productionId)) {
        await checkPayer(productionId);
        figures = await setRunningBudget(handleOf(productionId), productionId, credits);
      }
      await budgets.give(productionId, credits);
      return figures;
    },
    hasWorker: () => isServed(temporal.connection, namespace, taskQueue),
  };
}
