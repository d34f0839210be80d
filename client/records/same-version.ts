import { type AssetRef } from '../../contracts/asset';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type ProductionPlan } from '../../contracts/render/plan';
import { type Begun, type StoreView } from '../../store';
import { isSameProduction } from './read-frozen';
import { haveSameRules, withoutBudget } from './same-rules';

/** A version of a production. Without `plan`, its rules are unknown, and count as the same. */
interface Version<Production> {
  readonly production: Production;
  readonly plan?: ProductionPlan | undefined;
}

type Parts = Pick<StoreView, 'assets' | 'productions'>;

/**
 * Whether a recorded render is of this version: the same production with the same rules. The budget is compared
 * separately, since it can change during a render.
 */
export async function isSameVersion(
  { assets, productions }: Parts,
  begun: Pick<Begun, 'production' | 'plan'>,
  { production, plan }: Version<AssetRef | FrozenProduction>,
): Promise<boolean> {
  if (!(await isSameProduction(assets, begun.production, production))) return false;
  const rules = await productions.plan(begun);
  return plan === undefined || rules === undefined || haveSameRules(withoutBudget(rules), withoutBudget(plan));
}

/**
 * Whether the last recorded render is of this version and account. It may run, have ended, or be about to start.
 * Call this after an interrupted start: if another version runs, the start was or will be refused.
 */
export async function isBegunVersion(
  store: Parts,
  account: string,
  { productionId, ...version }: Version<AssetRef> & { readonly productionId: string },
): Promise<boolean> {
  const begun = await store.productions.begun(productionId);
  return begun?.account === account && (await isSameVersion(store, begun, version));
}
