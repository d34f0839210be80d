import { type PlannedShot, type ProductionPlan } from '../contracts/plan';
import { type Records } from './records';
import { createUsualTimes } from './usual-times';

/**
 * A task is executed rather than submitted where nine of ten of its model ended within this time: a quarter of the
 * limit of the execute endpoints. Source: gateway specification, "Limits".
 */
const QUICK_MS = 5_000;

/**
 * The plan with the way in which each shot's tasks are sent, where its file does not say: by how long tasks of the model
 * took so far. Video is always submitted.
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

/** Tells the models whose tasks took no longer so far, each looked up once. */
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
