import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ListedTake } from '../../contracts/listed-take';
import { type Records } from '../../store';
import { takeName } from '../records/out-names';
import { createOutPlaces } from '../records/out-places';

/** The absolute path of a take's file in the out folder; null if there is none. */
export type PlayableTakes = (take: Pick<ListedTake, 'shot' | 'take' | 'path' | 'mediaType'>) => string | null;

/** Finds a production's takes in its out folder, since files in the store have no extension that a player knows. */
export async function playableTakes(records: Records, productionId: string): Promise<PlayableTakes> {
  const places = createOutPlaces(records);
  const folder = (await places.noted(productionId)).put?.folder ?? (await places.folderOf(productionId));
  return ({ shot, take, path, mediaType }) => {
    if (path === null || mediaType === null) return null;
    const file = join(folder, takeName(shot, take, { mediaType }));
    return existsSync(file) ? file : null;
  };
}
