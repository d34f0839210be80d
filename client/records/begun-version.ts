import { type ProductionPlan } from '../../contracts/render/plan';
import { type AssetRef } from '../../contracts/asset';
import { type Store } from '../../store';
import { isSameProduction } from './read-frozen';
import { haveSameRules, withoutBudget } from './same-rules';

/**
 * Whether the last recorded render is of this version and account. It may run, have ended, or be about to start.
 * Call this after an interrupted start: if another version runs, the start was or will be refused.
 */
export async function isBegunVersion(
  store: Store,
  account: string,
  {
    productionId,
    production,
    plan,
  }: { readonly productionId: string; readonly production: AssetRef; readonly plan: ProductionPlan },
): Promise<boolean> {
  const begun = await store.productions.begun(productionId);
  if (begun?.account !== account) return false;
  if (!(await isSameProduction(store.assets, begun.production, production))) return false;
  const rules = (await store.productions.plan(begun)) ?? plan;
  return haveSameRules(withoutBudget(rules), withoutBudget(plan));
}
