import { log } from '@temporalio/activity';
import { type AssetRef } from '../contracts/asset';
import { type FrozenProduction } from '../contracts/frozen';
import { pieceAhead, pieceRecipe, renderPiece } from '../media';
import { createKeptPieces, diskSpace, type Store, wantedFilm } from '../store';
import { filmSpec } from './film-spec';
import { type FindFfmpeg } from './put-frame';

/**
 * Renders what a clip becomes in the film, behind all else that the machine does, while the chain goes on: when its last
 * clip is there, the film has little left to wait for.
 *
 * What cannot be rendered now is rendered with the film.
 */
export async function renderAhead(
  { store, ffmpeg }: { readonly store: Store; readonly ffmpeg: FindFfmpeg },
  production: FrozenProduction,
  shotId: string,
  { sha256 }: AssetRef,
  signal: AbortSignal,
): Promise<void> {
  const shots = production.shots.filter(({ model }) => model.output === 'video').map(({ id }) => id);
  const place = shots.indexOf(shotId);
  if (place < 0) return;
  const first = Math.max(0, place - 1);
  // The clips beside it are not known yet: it stands for them, as one of the same length and shape.
  const wanted = wantedFilm(
    production,
    shots.slice(first, place + 2).map((shot) => ({ shotId: shot, sha256 })),
  );
  if (wanted === undefined) return;
  try {
    const job = await pieceAhead(filmSpec(store, wanted), place - first);
    if (job === undefined) return;
    const pieces = createKeptPieces(store.assets, production.id);
    const found = await ffmpeg();
    const recipe = pieceRecipe(found, job);
    if ((await pieces.find(recipe)) !== undefined || !(await diskSpace(store.folder)).isEnough) return;
    await pieces.keep(recipe, (part) => renderPiece(found, job, part, { signal, lowPriority: true }));
  } catch (error) {
    signal.throwIfAborted();
    log.warn('a piece of the film cannot be rendered ahead; it is rendered with the film', { reason: String(error) });
  }
}
