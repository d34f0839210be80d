import { type ProductionPlan } from '../../contracts/plan';
import { withReadyInstant } from '../../contracts/plan';
import { type RenderBasis, type RenderFlags } from '../../contracts/render-basis';
import { withSendingModes } from '../../store';
import { createBudgets } from '../status/budgets';
import { fromNow } from '../records/from-now';
import { withFlags } from '../records/render-flags';
import { type RenderContext } from './context';
import { type RenderRequest } from './request';

/** The file's plan with the budget in force, the sending modes of its models, and the flags. */
export async function planToRun(
  { store, account }: RenderContext,
  { productionId, plan }: RenderRequest,
  flags: RenderFlags,
): Promise<ProductionPlan> {
  const inForce = withReadyInstant(await createBudgets(store).planInForce(productionId, plan), fromNow());
  return withFlags(await withSendingModes(inForce, store, account), flags);
}

/** What a render was requested with: its file's plan and production, and the flags. */
export async function basisOf(
  { store }: RenderContext,
  { plan, production, written }: RenderRequest,
  flags: RenderFlags,
): Promise<RenderBasis> {
  return { plan: await store.putJson(plan), written: written ?? production, ...flags };
}

/** Only the flags of a basis. */
export function flagsOf({ maxInFlight, unattended, priority }: RenderFlags): RenderFlags {
  return { maxInFlight, unattended, ...(priority === undefined ? {} : { priority }) };
}
