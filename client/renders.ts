import { randomUUID } from 'node:crypto';
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { type AssetRef } from '../contracts/asset';
import { productionWorkflowId } from '../contracts/identifiers';
import { type ProductionPlan } from '../contracts/plan';
import { type ProductionStatus } from '../contracts/status';
import { type ProductionInput, WORKFLOWS } from '../contracts/workflows';
import { createHolds, outlastPrunes, type Store } from '../store';
import { productionStatusQuery, reviseProductionUpdate } from '../workflows/messages';
import { createBudgets } from './budgets';
import { ifFound } from './live-status';
import { endOldPause, standingPause } from './paused';
import { type Begun, createProductionRecords } from './production-records';
import { Refused } from './refused';
import { checkRunningBudget } from './running-budget';
import { knowsSearchAttributes } from './search-attributes';
import { withSendingModes } from './sending-modes';
import { type StartOptions } from './start-options';

/** A checked and frozen production, ready to render. */
export interface RenderRequest {
  readonly productionId: string;
  readonly production: AssetRef;
  readonly plan: ProductionPlan;
  /** The production as its file has it, where people have directed it otherwise. Default: the same. */
  readonly written?: AssetRef;
}

/** Renders of productions: one runs at a time for each, and others join it or revise it. */
export interface Renders {
  /** Starts a render, or attaches to the one that is running. One that was interrupted goes on; a paused one refuses. */
  render(request: RenderRequest): Promise<{ readonly attached: boolean }>;
  /**
   * Has a running production follow another version of itself, or renders that version where none runs.
   *
   * @param again shots to look at again although nothing in them has changed, as after another choice.
   */
  direct(request: RenderRequest, again: readonly string[]): Promise<{ readonly revised: boolean }>;
  isRunning(productionId: string): Promise<boolean>;
  /** @throws Refused where it runs for another account. */
  checkPayer(productionId: string): Promise<void>;
}

export interface RendersOptions {
  readonly temporal: Client;
  readonly store: Store;
  readonly account: string;
  readonly startOptions: StartOptions;
  /** By Temporal's account or else the store's. */
  readonly status: (productionId: string) => Promise<ProductionStatus | undefined>;
}

export function createRenders({ temporal, store, account, startOptions, status }: RendersOptions): Renders {
  const records = createProductionRecords(store);
  const holds = createHolds(store.records);
  const budgets = createBudgets(store);
  const handleOf = (productionId: string): WorkflowHandle =>
    temporal.workflow.getHandle(productionWorkflowId(store.id, productionId));

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
    const searchable = await knowsSearchAttributes(temporal.connection, temporal.options.namespace);
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
    isRunning,
    checkPayer,
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
  };
}
