import { frameLinks } from '../../contracts/frame-links';
import { type FrozenProduction, type FrozenShot } from '../../contracts/frozen';
import { DEFAULT_MAX_IN_FLIGHT, type PlannedShot, type ProductionPlan } from '../../contracts/plan';
import { shotDigest } from '../../store';
import { type CheckedProduction, type CheckedShot } from './checked-production';

/** The small part of a production that its workflow carries. */
export function planOf(
  { title, shots, maxInFlight, onUnclear, assembly }: CheckedProduction,
  frozen: FrozenProduction,
): ProductionPlan {
  return {
    title,
    shots: frozen.shots.flatMap((one, index) => {
      const shot = shots[index];
      return shot === undefined ? [] : [{ ...plannedShot(shot, one), onUnclear }];
    }),
    maxInFlight: maxInFlight ?? DEFAULT_MAX_IN_FLIGHT,
    assemble: assembly !== undefined,
  };
}

function plannedShot(
  { id, model, deadlineSeconds, retryFailed }: CheckedShot,
  frozen: FrozenShot,
): Omit<PlannedShot, 'onUnclear'> {
  const links = frameLinks(frozen);
  const direction = { takes: 1, review: null, directed: false, digest: shotDigest(frozen) };
  return { id, model: model.id, output: model.output, links, deadlineSeconds, retryFailed, ...direction };
}
