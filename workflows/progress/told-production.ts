import type { ProductionPlan } from '../../contracts/render/plan';
import type { ProductionStatus, ShotStatus } from '../../contracts/status';
import type { ProductionInput } from '../../contracts/workflows';
import type { BudgetAccount } from './budget';
import { NO_WAIT } from './kept-shot';

/** The part of a production's status that a revision resets. */
export type Outcome = Pick<ProductionStatus, 'state' | 'film' | 'assembly' | 'reason' | 'endedAt'>;

export function openOutcome({ assemble }: Pick<ProductionPlan, 'assemble'>): Outcome {
  return { state: 'running', film: null, assembly: assemble ? 'waiting' : 'none', reason: null, endedAt: null };
}

/** The fields of a status that show the budget. */
export type ToldBudget = Pick<ProductionStatus, 'budget' | 'uncountedBudget'>;

/** @param parts `shots` in the order of the plan; `budget` is empty if the production has no budget. */
export function toldProduction(
  { productionId, plan, renderId, production, basis }: ProductionInput,
  { state, film, assembly, reason, endedAt }: Outcome,
  parts: Pick<ProductionStatus, 'shots' | 'startedAt'> & { readonly budget: ToldBudget },
): ProductionStatus {
  const { shots, startedAt, budget } = parts;
  return {
    production: productionId,
    title: plan.title,
    state,
    renderId,
    frozen: production,
    basis,
    shots,
    film,
    assembly,
    reason,
    startedAt,
    endedAt,
    ...budget,
  };
}

/**
 * Updates the reason why a shot waits for the budget, since each charge can change the reason. If none of the shot's
 * requests waits, the shot is shown as rendering, even before it reports that it continues.
 *
 * After continue-as-new the shot stays as it was until all requests are known. Otherwise its wait would seem to end and
 * begin again, and would be reported twice.
 */
export function asBudgeted(shot: ShotStatus, budget: BudgetAccount | null): ShotStatus {
  if (budget === null || !budget.hasAllRequests() || shot.parked?.for !== 'budget') return shot;
  const reasons = budget.shotWaitsFor(shot.id);
  if (reasons.length === 0) return { ...shot, ...NO_WAIT, state: 'rendering', reason: null };
  return { ...shot, reason: reasons.join('; ') };
}
