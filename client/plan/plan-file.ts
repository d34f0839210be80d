import { createHash } from 'node:crypto';
import { type RenderPlan } from '../../contracts/render/render-plan';
import { canonicalJson, type Quotes, type StoreView } from '../../store';
import { directedProduction } from '../freeze/directed-production';
import { planRender } from './';
import { type CheckedProduction } from '../production-file';
import { planOf } from '../freeze/plan-of';
import { fallbackForm, frozenForm } from '../freeze/freeze-production';
import { absolute } from '../wording/working-folder';
import { checkClaim } from '../records/production-claim';

export interface PlanContext {
  readonly store: StoreView;
  readonly account: string;
  readonly quotes: Quotes;
}

/**
 * Plans the render of a checked file, with its price, from the store's records. Sends and stores nothing.
 *
 * @param isLost as for `planRender`.
 * @returns the plan, the shots whose direction no longer applies (`lapsed`), and a version. The version is equal for
 *   equal productions with equal rules, wherever the file is.
 * @throws Refused as `checkClaim` does; RangeError for an invalid id; NotMediaError or a system error for a file that
 *   has changed since the check.
 */
export async function planFile(
  { store, account, quotes }: PlanContext,
  checked: CheckedProduction,
  {
    file,
    id,
    isLost = false,
  }: { readonly file: string | null; readonly id?: string | undefined; readonly isLost?: boolean },
): Promise<{ readonly plan: RenderPlan; readonly lapsed: readonly string[]; readonly version: string }> {
  const written = await frozenForm(checked, id === undefined ? {} : { id });
  const { production, directed, takes, byDeadline, lapsed } = await directedProduction(written, store);
  const claim = {
    productionId: production.id,
    path: file === null ? null : absolute(file),
    takeOver: id !== undefined,
  };
  await checkClaim(store, claim);
  const fallback = await fallbackForm(checked, written);
  const rules = planOf(checked, { written, frozen: production, directed, takes, fallback });
  const { shots, budget } = rules;
  const request = { store, account, quotes, production, shots, rules, budget, written, byDeadline, lapsed, isLost };
  const plan = await planRender(request);
  const version = createHash('sha256').update(canonicalJson({ production, rules })).digest('hex');
  return { plan, lapsed, version };
}
