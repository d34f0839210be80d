import type { AssembleFilmInput } from '../../contracts/activities';
import type { AssetRef } from '../../contracts/asset';
import { studioActivities } from '../temporal/activity-options';

/** Assembles a film from the given clips, separately from the production's own film. Costs nothing. */
export async function assemble(input: AssembleFilmInput): Promise<AssetRef> {
  return studioActivities().assembleFilm(input);
}
