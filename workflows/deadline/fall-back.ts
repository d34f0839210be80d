import type { PlannedShot } from '../../contracts/render/plan';
import { versionOf } from '../../contracts/render/render-basis';
import type { Revision } from '../../contracts/workflows';
import { decisionActivities } from '../temporal/activity-options';
import type { ProductionProgress } from '../progress/production-progress';

export interface FellBack {
  readonly taken: readonly PlannedShot[];
  /** Absent if `taken` is empty. */
  readonly revision?: Revision;
}

/**
 * Records that shots use the file's fallback, and returns the revision that applies the fallback to the production.
 *
 * @returns undefined if another version of the production arrived meanwhile.
 */
export async function fallbackRevision(
  progress: ProductionProgress,
  shots: readonly string[],
): Promise<FellBack | undefined> {
  const { productionId, production, basis, plan, renderId } = progress.input();
  const fallback = plan.readyBy?.fallback;
  if (fallback === undefined) return { taken: [] };
  const standing = Object.fromEntries(
    [...progress.facts()].flatMap(([id, { take }]) => (take === undefined ? [] : [[id, take.takeKey]])),
  );
  const from = { productionId, production, written: basis.written, plan: basis.plan, renderId };
  const applied = await decisionActivities('person').applyFallback({ ...from, fallback, shots, standing });
  const now = progress.input();
  if (versionOf(now.production, now.basis) !== versionOf(production, basis)) return undefined;
  const taken = applied.shots;
  if (taken.length === 0) return { taken };
  const fallbackShots = new Map(taken.map((shot) => [shot.id, shot]));
  const planned = now.plan.shots.map((shot) => {
    const low = fallbackShots.get(shot.id);
    // The review of the running plan stays, since it may come from a flag instead of the file.
    return low === undefined ? shot : { ...low, review: shot.review };
  });
  const revised = { ...now.plan, shots: planned };
  return {
    taken,
    revision: {
      productionId,
      production: applied.production,
      plan: revised,
      basis: { ...now.basis, plan: applied.plan },
      again: [],
    },
  };
}
