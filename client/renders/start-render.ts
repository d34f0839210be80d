import { randomUUID } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { productionWorkflowId } from '../../contracts/identifiers';
import { WORKFLOWS } from '../../contracts/workflow-signatures';
import { type ProductionInput } from '../../contracts/workflows';
import { noteBegun } from '../records/note-begun';
import { NO_FLAGS } from '../records/render-flags';
import { knowsSearchAttributes } from '../temporal/search-attributes';
import { startWorkflow } from '../temporal/start-workflow';
import { type RenderContext } from './context';
import { type Note, type RenderRequest } from './request';
import { basisOf, planToRun } from './rules';

/**
 * Records a render and starts it. If `note` fails or a render is already running, restores the previous record, unless
 * there is none or another render was recorded meanwhile.
 *
 * @param note called right before the start.
 * @returns false if a render is already running.
 */
export async function startRender(context: RenderContext, request: RenderRequest, note: Note): Promise<boolean> {
  const { temporal, store, account, startOptions } = context;
  const { productionId, production, flags = NO_FLAGS } = request;
  const { productions } = store;
  const [plan, basis] = [await planToRun(context, request, flags), await basisOf(context, request, flags)];
  const renderId = randomUUID();
  const searchable = await knowsSearchAttributes(temporal.connection, temporal.options.namespace);
  const input: ProductionInput = { productionId, storeId: store.id, production, plan, basis, renderId, searchable };
  // Record the render before the start, so that a crash never leaves paid work that the store does not know.
  const begun = { production: productionId, renderId, frozen: production, basis, startedAt: new Date().toISOString() };
  const path = request.path === undefined ? await productions.origin(productionId) : request.path;
  const before = await noteBegun(store, account, begun, path);
  const withdraw = async (): Promise<void> => {
    // A concurrent command may have started its render and recorded it since.
    const now = await productions.begun(productionId);
    if (before !== undefined && now?.renderId === renderId) await productions.begin(productionId, before);
  };
  try {
    // Wait for a running prune. A later prune sees that the render is open.
    await store.prunes.waitForPrune();
    await note();
  } catch (error) {
    await withdraw().catch(() => undefined);
    throw error;
  }
  try {
    await startWorkflow(temporal, WORKFLOWS.production, {
      ...startOptions,
      workflowId: productionWorkflowId(store.id, productionId),
      args: [input],
      memo: { account, renderId },
      staticSummary: plan.title,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    await withdraw();
    return false;
  }
  // A concurrent command that failed to start its render may have replaced the record.
  await noteBegun(store, account, begun, path);
  return true;
}
