import { type ProductionPlan } from '../../contracts/render/plan';
import { canonicalJson } from '../../store';

/** True if two plans are equal, ignoring the `directed` field of their shots. */
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
