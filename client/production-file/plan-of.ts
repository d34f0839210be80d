import { type FrameLink } from '../../contracts/frozen';
import { DEFAULT_MAX_IN_FLIGHT, type PlannedShot, type ProductionPlan } from '../../contracts/plan';
import { type CheckedProduction, type CheckedShot } from './checked-production';
import { type CheckedFile } from './file-source';

/** The small part of a production that its workflow carries. */
export function planOf({ title, shots, maxInFlight, onUnclear, assembly }: CheckedProduction): ProductionPlan {
  return {
    title,
    shots: shots.map((shot) => ({ ...plannedShot(shot), onUnclear })),
    maxInFlight: maxInFlight ?? DEFAULT_MAX_IN_FLIGHT,
    assemble: assembly !== undefined,
  };
}

function plannedShot({ id, model, files, deadlineSeconds, retryFailed }: CheckedShot): Omit<PlannedShot, 'onUnclear'> {
  const links = linksAmong(Object.values(files).flat());
  return { id, model: model.id, output: model.output, links, deadlineSeconds, retryFailed };
}

/** A frame that two parameters start from is waited for once. */
function linksAmong(files: readonly CheckedFile[]): readonly FrameLink[] {
  const links = files.filter((file) => file.kind === 'link');
  return [...new Map(links.map((link) => [`${link.frame} ${link.shot}`, link])).values()];
}
