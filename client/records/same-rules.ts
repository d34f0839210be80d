import { type ProductionPlan } from '../../contracts/plan';
import { canonicalJson } from '../../store';

/** Whether two plans render their shots by the same rules. Directions do not count. */
export function haveSameRules(one: ProductionPlan, other: ProductionPlan): boolean {
  return canonicalJson(rulesOf(one)) === canonicalJson(rulesOf(other));
}

function rulesOf({ shots, ...rest }: ProductionPlan): unknown {
  return { ...rest, shots: shots.map(({ directed: _directed, ...shot }) => shot) };
}

/** The plan without its budget, which can change during a render and is compared separately. */
export function withoutBudget({ budget: _budget, ...plan }: ProductionPlan): ProductionPlan {
  return plan;
}
