import type { AssembleFilmInput } from '../../contracts/activities';
import type { AssetRef } from '../../contracts/asset';
import { studioActivities } from '../temporal/activity-options';

/** A film of the clips that there are, beside the production's own; it costs nothing. */
export async function assemble(input: AssembleFilmInput): Promise<AssetRef> {
  return studioActivities().assembleFilm(input);
}
