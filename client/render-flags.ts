import { type PlannedShot, type ProductionPlan } from '../contracts/plan';
import { type RenderFlags } from '../contracts/render-basis';

/** Where the file alone says how a render goes. */
export const NO_FLAGS: RenderFlags = { maxInFlight: null, unattended: false };

/** The plan by which a render goes that was begun with these flags. */
export function withFlags(plan: ProductionPlan, { maxInFlight, unattended, priority }: RenderFlags): ProductionPlan {
  return {
    ...plan,
    maxInFlight: maxInFlight ?? plan.maxInFlight,
    ...(priority === undefined ? {} : { priority }),
    shots: unattended ? plan.shots.map(approvedByItself) : plan.shots,
  };
}

/** A review whose time is up at once: what was approved stays noted, and is not asked about by a later render. */
function approvedByItself(shot: PlannedShot): PlannedShot {
  return shot.review === null ? shot : { ...shot, review: { withinSeconds: 0, otherwise: 'approve' } };
}
