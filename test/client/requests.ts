import { type RenderRequest } from '../../client';
import { startWorkflow } from '../../client/temporal/start-workflow';
import { productionWorkflowId } from '../../contracts/identifiers';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { workflowQueue } from '../../contracts/task-queues';
import { WORKFLOWS } from '../../contracts/workflow-signatures';
import { accountHash } from '../../store';
import { basisOf, type Rig } from '../support/rig';

export const account = 'sandbox';

/** The request to render a film. */
export async function requestFor(rig: Rig, production: FrozenProduction): Promise<RenderRequest> {
  return {
    productionId: production.id,
    production: await rig.store.putJson(production),
    plan: {
      title: production.title,
      maxInFlight: 4,
      assemble: false,
      shots: production.shots.map(({ id }) => ({
        id,
        model: 'beta-2.5',
        output: 'video' as const,
        links: [],
        deadlineSeconds: 900,
        onUnclear: 'park' as const,
        retryFailed: 0,
        takes: 1,
        review: null,
        directed: false,
        onFailure: 'park',
        digest: 'digest',
      })),
    },
  };
}

/** Starts a production as `render` does, but leaves it held. */
export async function startHeld(
  rig: Rig,
  { productionId, production, plan }: RenderRequest,
  options: object = {},
): Promise<void> {
  const { store, temporal } = rig;
  const basis = await basisOf(store, production, plan);
  await startWorkflow(temporal.client, WORKFLOWS.production, {
    taskQueue: workflowQueue({ account: accountHash('sandbox'), storeId: store.id }),
    workflowId: productionWorkflowId(store.id, productionId),
    args: [{ productionId, storeId: store.id, production, plan, basis, renderId: 'held', searchable: false }],
    memo: { account: 'sandbox' },
    ...options,
  });
}
