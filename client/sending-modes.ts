import { type PlannedShot, type ProductionPlan } from '../contracts/plan';
import { createUsualTimes, type Records } from '../store';

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
  const usualTimes = createUsualTimes(records, account);
  const withMode = async (shot: PlannedShot): Promise<PlannedShot> => {
    if (shot.mode !== undefined || shot.output === 'video') return shot;
    const usual = await usualTimes.of(shot.model);
    return usual !== undefined && usual.slowMs <= QUICK_MS ? { ...shot, mode: 'execute' } : shot;
  };
  return { ...plan, shots: await Promise.all(plan.shots.map(withMode)) };
}
