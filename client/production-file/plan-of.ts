import { type FrameLink, type FrozenProduction, type FrozenShot } from '../../contracts/frozen';
import { DEFAULT_MAX_IN_FLIGHT, type PlannedShot, type ProductionPlan } from '../../contracts/plan';
import { shotDigest } from '../../store';
import { type CheckedProduction, type CheckedShot } from './checked-production';
import { type CheckedFile } from './file-source';

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
  { id, model, files, deadlineSeconds, retryFailed }: CheckedShot,
  frozen: FrozenShot,
): Omit<PlannedShot, 'onUnclear'> {
  const links = linksAmong(Object.values(files).flat());
  const direction = { takes: 1, review: null, directed: false, onFailure: 'park' as const, digest: shotDigest(frozen) };
  return { id, model: model.id, output: model.output, links, deadlineSeconds, retryFailed, ...direction };
}

/** A frame that two parameters start from is waited for once. */
function linksAmong(files: readonly CheckedFile[]): readonly FrameLink[] {
  const links = files.filter((file) => file.kind === 'link');
  return [...new Map(links.map((link) => [`${link.frame} ${link.shot}`, link])).values()];
}
