import { type PlannedShot, type ProductionPlan } from '../contracts/plan';
import { type Records } from './records';
import { createUsualTimes } from './usual-times';

/**
 * A model's tasks are executed instead of submitted if nine of ten ended within this time: a quarter of the limit of
 * the execute endpoints. Source: gateway specification, "Limits".
 */
const QUICK_MS = 5_000;

/**
 * Adds to the plan how each shot's tasks are sent, if its file does not say so. It depends on how long the model's
 * tasks took so far. Video is always submitted.
 */
export async function withSendingModes(
  plan: ProductionPlan,
  { records }: { readonly records: Records },
  account: string,
): Promise<ProductionPlan> {
  const isQuick = quickModels(records, account);
  const withMode = async (shot: PlannedShot): Promise<PlannedShot> => {
    if (shot.mode !== undefined || shot.output === 'video') return shot;
    return (await isQuick(shot.model)) ? { ...shot, mode: 'execute' } : shot;
  };
  return { ...plan, shots: await Promise.all(plan.shots.map(withMode)) };
}

/** Tells whether a model's tasks are quick enough to be executed. Each model is looked up once. */
export function quickModels(records: Records, account: string): (model: string) => Promise<boolean> {
  const usualTimes = createUsualTimes(records, account);
  const known = new Map<string, Promise<boolean>>();
  return (model) => {
    const isQuick =
      known.get(model) ?? usualTimes.of(model).then((usual) => usual !== undefined && usual.slowMs <= QUICK_MS);
    known.set(model, isQuick);
    return isQuick;
  };
}
