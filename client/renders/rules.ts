import { type ProductionPlan } from '../../contracts/render/plan';
import { withReadyInstant } from '../../contracts/render/plan';
import { type RenderBasis, type RenderFlags } from '../../contracts/render/render-basis';
import { withSendingModes } from '../../store';
import { createBudgets } from '../status/budgets';
import { localNow } from '../records/local-now';
import { withFlags } from '../records/render-flags';
import { type RenderContext } from './context';
import { type RenderRequest } from './request';

/** The file's plan with the budget in force, the `readyBy` instant, each shot's mode (submit or execute), and flags. */
export async function planToRun(
  { store, account }: RenderContext,
  { productionId, plan }: RenderRequest,
  flags: RenderFlags,
): Promise<ProductionPlan> {
  const inForce = withReadyInstant(await createBudgets(store).planInForce(productionId, plan), localNow());
  return withFlags(await withSendingModes(inForce, store.account(account).usualTimes), flags);
}

/** Stores the file's plan. Returns a render's basis: that plan, the production as written, and the flags. */
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
