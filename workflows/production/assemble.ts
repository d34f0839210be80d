import type { AssembleFilmInput } from '../../contracts/activities';
import type { AssetRef } from '../../contracts/asset';
import { studioActivities } from '../temporal/activity-options';

/** Assembles a film from the given clips outside a render, for `dailies assemble`. Costs nothing. */
export async function assemble(input: AssembleFilmInput): Promise<AssetRef> {
  return studioActivities().assembleFilm(input);
}
