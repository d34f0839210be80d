import { type ProductionPlan } from '../contracts/plan';
import { canonicalJson } from '../store';

/** Whether two files have their shots rendered by the same rules; what was decided meanwhile is no difference. */
export function haveSameRules(one: ProductionPlan, other: ProductionPlan): boolean {
  return canonicalJson(rulesOf(one)) === canonicalJson(rulesOf(other));
}

function rulesOf({ shots, ...rest }: ProductionPlan): unknown {
  return { ...rest, shots: shots.map(({ directed: _directed, ...shot }) => shot) };
}

/** A budget can be changed while a production runs, and is looked at by itself. */
export function withoutBudget({ budget: _budget, ...plan }: ProductionPlan): ProductionPlan {
  return plan;
}
