import { type PlannedShot, type ProductionPlan } from '../../contracts/render/plan';
import { type UsualTimes } from './usual-times';

/**
 * If the 90th percentile of a model's recent task times is at most this, its tasks are executed, not submitted. This
 * is a quarter of the execute endpoints' time limit. Source: gateway specification, "Limits".
 */
const QUICK_MS = 5_000;

/**
 * Chooses the mode (submit or execute) of each shot for which the file states no mode, by the usual time of the model's
 * tasks. Videos without a mode are always submitted.
 */
export async function withSendingModes(plan: ProductionPlan, usualTimes: UsualTimes): Promise<ProductionPlan> {
  const isQuick = quickModels(usualTimes);
  const withMode = async (shot: PlannedShot): Promise<PlannedShot> => {
    if (shot.mode !== undefined || shot.output === 'video') return shot;
    return (await isQuick(shot.model)) ? { ...shot, mode: 'execute' } : shot;
  };
  return { ...plan, shots: await Promise.all(plan.shots.map(withMode)) };
}

/** Tells whether a model's tasks are quick enough to be executed. Each model is looked up once. */
export function quickModels(usualTimes: UsualTimes): (model: string) => Promise<boolean> {
  const isQuickByModel = new Map<string, Promise<boolean>>();
  return (model) => {
    const isQuick =
      isQuickByModel.get(model) ??
      usualTimes.forModel(model).then((usual) => usual !== undefined && usual.slowMs <= QUICK_MS);
    isQuickByModel.set(model, isQuick);
    return isQuick;
  };
}
