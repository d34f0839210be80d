import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ListedTake } from '../../contracts/render/listed-take';
import { type StoreView } from '../../store';
import { takeName } from '../records/out-names';
import { createOutFolders } from '../records/out-folders';

/** The absolute path of a take's file in the out folder; null if this file or the stored output is missing. */
export type PlayableTakes = (take: Pick<ListedTake, 'shot' | 'take' | 'path' | 'mediaType'>) => string | null;

/** Finds a production's takes in its out folder. The store's files lack extensions, so players do not open them. */
export async function playableTakes(store: StoreView, productionId: string): Promise<PlayableTakes> {
  const publication = (await store.outPlaces.noted(productionId)).put;
  const folder = publication?.folder ?? (await createOutFolders(store).folderOf(productionId));
  return ({ shot, take, path, mediaType }) => {
    if (path === null || mediaType === null) return null;
    const file = join(folder, takeName(shot, take, { mediaType }));
    return existsSync(file) ? file : null;
  };
}
