import { type RenderPlan } from '../../contracts/render-plan';
import { type Quotes, type StoreView } from '../../store';
import { directedProduction } from '../freeze/directed-production';
import { planRender } from './';
import { type CheckedProduction } from '../production-file';
import { planOf } from '../freeze/plan-of';
import { frozenForm } from '../freeze/freeze-production';
import { createProductionRecords } from '../records/production-records';
import { absolute } from '../wording/working-folder';

export interface PlanContext {
  readonly store: StoreView;
  readonly account: string;
  readonly quotes: Quotes;
}

/**
 * Plans the render of a checked file: what it would do and cost, by the store. Sends and stores nothing.
 *
 * @returns also the shots whose direction no longer applies.
 * @throws Refused for what a render would refuse.
 */
export async function planFile(
  { store, account, quotes }: PlanContext,
  checked: CheckedProduction,
  { file, id }: { readonly file: string | null; readonly id?: string | undefined },
): Promise<{ readonly plan: RenderPlan; readonly lapsed: readonly string[] }> {
  const written = await frozenForm(checked, id === undefined ? {} : { id });
  const { production, directed, takes, byDeadline, lapsed } = await directedProduction(written, store);
  const claim = {
    productionId: production.id,
    path: file === null ? null : absolute(file),
    takeOver: id !== undefined,
  };
  await createProductionRecords(store).checkClaim(claim);
  const { shots, budget } = planOf(checked, { written, frozen: production, directed, takes });
  const request = { store, account, quotes, production, shots, budget, written, byDeadline, lapsed };
  const plan = await planRender(request);
  return { plan, lapsed };
}
