import { type PlannedShot, type ProductionPlan } from '../../contracts/render/plan';
import { type RenderFlags } from '../../contracts/render/render-basis';

/** No flags: the values in the production file apply. */
export const NO_FLAGS: RenderFlags = { maxInFlight: null, unattended: false };

/** The plan of a render with these flags. */
export function withFlags(plan: ProductionPlan, { maxInFlight, unattended, priority }: RenderFlags): ProductionPlan {
  return {
    ...plan,
    maxInFlight: maxInFlight ?? plan.maxInFlight,
    ...(priority === undefined ? {} : { priority }),
    shots: unattended ? plan.shots.map(autoApproved) : plan.shots,
  };
}

/** Makes the review approve a take at once. The approval is recorded, so later renders do not ask again. */
function autoApproved(shot: PlannedShot): PlannedShot {
  return shot.review === null ? shot : { ...shot, review: { withinSeconds: 0, otherwise: 'approve' } };
}
