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
import { type RenderBasis, type RenderFlags } from '../contracts/render-basis';
import { withReadyInstant } from '../contracts/ready-by';
import { type ProductionStatus } from '../contracts/status';
import { type ProductionInput, type Revision, WORKFLOWS } from '../contracts/workflows';
import { createHolds, outlastPrunes, type Store, withSendingModes } from '../store';
import { productionStatusQuery, reviseProductionUpdate, revisionObjectionQuery } from '../workflows/messages';
import { CHANGED_MEANWHILE } from '../workflows/revision';
import { createBudgets } from './budgets';
import { fromNow } from './from-now';
import { lastVersion } from './last-version';
import { ifFound } from './live-status';
import { noteBegun } from './note-begun';
import { endOutlivedPause, refuseWhilePaused } from './paused';
import { createProductionRecords } from './production-records';
import { ofOtherAccount, Refused } from './refused';
import { NO_FLAGS, withFlags } from './render-flags';
import { checkRunningBudget } from './running-budget';
import { haveSameRules, withoutBudget } from './same-rules';
import { knowsSearchAttributes } from './search-attributes';
import { type StartOptions } from './start-options';

/** A checked and frozen production, ready to render. */
export interface RenderRequest {
  readonly productionId: string;
  readonly production: AssetRef;
  /** As the file has it. */
  readonly plan: ProductionPlan;
  /** Absolute path of the file, whose production it is from here on. Default: the one that it was last rendered from. */
  readonly path?: string;
  /** The production as its file has it, where people have directed it otherwise. Default: the same. */
  readonly written?: AssetRef;
  /** For what this request starts; what runs already goes on by its own. Default: none. */
  readonly flags?: RenderFlags;
}

/** Another version of a production that was rendered before. */
export interface Change extends RenderRequest {
  /** The version that it was worked out from (`versionOf`). Default: whichever is the last. */
  readonly replaces?: string;
  /** Notes what was decided, right before it is carried out. */
  readonly note?: () => Promise<void>;
}

/** Renders of productions: one runs at a time for each, and others join it or revise it. */
export interface Renders {
  /** Starts a render, or attaches to the one that is running. One that was interrupted goes on; a paused one refuses. */
  render(request: RenderRequest): Promise<{ readonly attached: boolean }>;
  /**
   * Has a running production follow another version of itself, or renders that version where none runs. Nothing is noted
   * before it is known to be taken.
   *
   * @param again shots to look at again although nothing in them has changed, as after another choice.
   * @throws Refused where another version than the one that it replaces is the last one by now.
   */
  direct(change: Change, again: readonly string[]): Promise<{ readonly revised: boolean }>;
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

type Note = () => Promise<void>;

const NOTHING: Note = () => Promise.resolve();

export function createRenders({ temporal, store, account, startOptions, status }: RendersOptions): Renders {
  const records = createProductionRecords(store);
  const holds = createHolds(store.records);
  const budgets = createBudgets(store);
  const handleOf = (productionId: string): WorkflowHandle =>
    temporal.workflow.getHandle(productionWorkflowId(store.id, productionId));

  /** The file's plan, with what people have said beside the file, and with what is known of its models. */
  async function planToRun({ productionId, plan }: RenderRequest, flags: RenderFlags): Promise<ProductionPlan> {
    const inForce = withReadyInstant(await budgets.planInForce(productionId, plan), fromNow());
    return withFlags(await withSendingModes(inForce, store, account), flags);
  }

  async function basisOf({ plan, production, written }: RenderRequest, flags: RenderFlags): Promise<RenderBasis> {
    return { plan: await store.putJson(plan), written: written ?? production, ...flags };
  }

  /** @returns false where one runs already: then that one is on record, as before. */
  async function isStarted(request: RenderRequest, note: Note): Promise<boolean> {
    const { productionId, production, flags = NO_FLAGS } = request;
    const [plan, basis] = [await planToRun(request, flags), await basisOf(request, flags)];
    const renderId = randomUUID();
    const searchable = await knowsSearchAttributes(temporal.connection, temporal.options.namespace);
    const input: ProductionInput = { productionId, storeId: store.id, production, plan, basis, renderId, searchable };
    // Before the start: a crash in between must not leave paid work that the store knows nothing of.
    const begun = {
      production: productionId,
      renderId,
      frozen: production,
      basis,
      startedAt: new Date().toISOString(),
    };
    const path = request.path ?? (await records.source(productionId))?.path;
    const before = await noteBegun(store, account, begun, path);
    // A prune that begins from here on sees that this one is open.
    await outlastPrunes(store.records);
    await note();
    try {
      await temporal.workflow.start(WORKFLOWS.production, {
        ...startOptions,
        workflowId: productionWorkflowId(store.id, productionId),
        args: [input],
        memo: { account },
        staticSummary: plan.title,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      if (before !== undefined) await records.begin(productionId, before);
      return false;
    }
    // Another command, which came too late, may have noted its own meanwhile.
    await noteBegun(store, account, begun, path);
    return true;
  }

  async function checkPayer(productionId: string): Promise<void> {
    const { memo } = await handleOf(productionId).describe();
    const payer = String(memo?.['account']);
    if (payer === account) return;
    throw ofOtherAccount(`production "${productionId}" is running`, payer, account);
  }

  /** What runs, and by which rules. Another command may have been ended, or overtaken, while it noted that. */
  async function running(productionId: string, path?: string): Promise<ProductionStatus> {
    await checkPayer(productionId);
    const now = await handleOf(productionId).query(productionStatusQuery);
    await noteBegun(store, account, now, path);
    return now;
  }

  /** Joins a running render where it is of the same file for the same account. */
  async function joinRender({ productionId, production, plan, path }: RenderRequest): Promise<void> {
    const { frozen, basis } = await running(productionId);
    const rules = (await records.plan({ plan: basis?.plan })) ?? plan;
    if (frozen.sha256 === production.sha256 && haveSameRules(withoutBudget(rules), withoutBudget(plan))) {
      const { budget } = await budgets.planInForce(productionId, plan);
      await checkRunningBudget(handleOf(productionId), productionId, budget);
      await running(productionId, path);
      return;
    }
    throw new Refused(
      `production "${productionId}" is running with another version of its file; \`dailies edit ${productionId} FILE\` ` +
        `gives it this one. Or let it end, or run \`dailies cancel ${productionId}\`, then render again: what was paid for is kept`,
    );
  }

  /** False where the production has just come to its end: it is to be rendered again. */
  async function revise(change: Change, again: readonly string[], note: Note): Promise<boolean> {
    const { productionId, production, replaces, path } = change;
    const handle = handleOf(productionId);
    const { basis: flags = NO_FLAGS } = await running(productionId);
    const revision: Revision = {
      productionId,
      production,
      plan: await planToRun(change, flags),
      basis: await basisOf(change, flagsOf(flags)),
      again,
      ...(replaces === undefined ? {} : { replaces }),
    };
    const objection = await handle.query(revisionObjectionQuery, revision);
    if (objection !== null) return refuseOrEnd(handle, objection);
    await note();
    try {
      await handle.executeUpdate(reviseProductionUpdate, { args: [revision] });
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      if (!(error instanceof WorkflowUpdateFailedError)) throw error;
      return refuseOrEnd(handle, error.cause?.message ?? error.message);
    }
    await running(productionId, path);
    return true;
  }

  async function isRunning(productionId: string): Promise<boolean> {
    return (await ifFound(handleOf(productionId).describe()))?.status.name === 'RUNNING';
  }

  /** Renders what has ended, or revises what another command has just begun. @returns whether it revised. */
  async function renderChange(change: Change, again: readonly string[], note: Note): Promise<boolean> {
    const { productionId, replaces } = change;
    const last = await lastVersion(records, productionId);
    if (replaces !== undefined && last?.version !== replaces) throw new Refused(CHANGED_MEANWHILE);
    // One that is paused and runs may be directed too: it stays paused, and buys nothing until it is resumed.
    await endOutlivedPause(store, productionId, () => status(productionId));
    if (await isStarted(change, note)) return false;
    if (await revise(change, again, note)) return true;
    throw new Refused(CHANGED_MEANWHILE);
  }

  return {
    isRunning,
    checkPayer,
    async render(request) {
      const { productionId } = request;
      await refuseWhilePaused(store, 'production', productionId, () => status(productionId));
      const attached = (await isRunning(productionId)) || !(await isStarted(request, NOTHING));
      if (attached) await joinRender(request);
      await holds.release(productionId);
      return { attached };
    },
    async direct(change, again) {
      const { productionId } = change;
      const noting = once(change.note ?? NOTHING);
      const note = noting.run;
      try {
        const revised =
          ((await isRunning(productionId)) && (await revise(change, again, note))) ||
          (await renderChange(change, again, note));
        await holds.release(productionId);
        return { revised };
      } catch (error) {
        // Two commands within the same moment: what is on record is told, since a later render goes by it.
        if (!(error instanceof Refused) || !noting.hasRun()) throw error;
        throw new Refused(`${error.message}. What you decided is noted, and the next render of its file follows it`);
      }
    },
  };
}

/** A basis has more than the flags. */
function flagsOf({ maxInFlight, unattended, priority }: RenderFlags): RenderFlags {
  return { maxInFlight, unattended, ...(priority === undefined ? {} : { priority }) };
}

function once(note: Note): { readonly run: Note; readonly hasRun: () => boolean } {
  let hasRun = false;
  return {
    hasRun: () => hasRun,
    async run() {
      if (!hasRun) await note();
      hasRun = true;
    },
  };
}

/** Of a revision that was not taken: false where the production has come to its end. @throws Refused where it has not. */
async function refuseOrEnd(handle: WorkflowHandle, objection: string): Promise<false> {
  const { state } = await handle.query(productionStatusQuery);
  if (state === 'running') throw new Refused(objection);
  await handle.result();
  return false;
}
