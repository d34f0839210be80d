import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ListedTake } from '../../contracts/listed-take';
import { type Records } from '../../store';
import { takeName } from '../out-names';
import { createOutPlaces } from '../out-places';

/** Where a person opens a take, as an absolute path whose name has an ending; null where it was not put out. */
export type PlayableTakes = (take: Pick<ListedTake, 'shot' | 'take' | 'path' | 'mediaType'>) => string | null;

/** Finds takes of a production as files that a player opens: the store's own have no endings. */
export async function playableTakes(records: Records, productionId: string): Promise<PlayableTakes> {
  const places = createOutPlaces(records);
  const folder = (await places.noted(productionId)).put?.folder ?? (await places.folderOf(productionId));
  return ({ shot, take, path, mediaType }) => {
    if (path === null || mediaType === null) return null;
    const file = join(folder, takeName(shot, take, { mediaType }));
    return existsSync(file) ? file : null;
  };
}
