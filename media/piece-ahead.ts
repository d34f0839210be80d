import type { FilmSpec } from './film';
import { planFilm } from './film-plan';
import { hasWholeSamples, type PieceJob } from './piece';
import { probeClips } from './probe-clips';

/**
 * What a clip becomes in its film, told before the clips beside it are there: in `film` the clip itself may stand for
 * those, in their order.
 *
 * Undefined where it hangs on more than the clip: on the next one where that fades in, on a title that is drawn over it,
 * on its place in the film where frames and samples do not go evenly. And where its picture may be taken over as it is.
 *
 * @throws FilmError, NotMediaError.
 */
export async function pieceAhead(film: FilmSpec, index: number): Promise<PieceJob | undefined> {
  const isTitled = film.title !== undefined && index === 0;
  const isOfChain = film.clips.slice(index, index + 2).some(({ continuesPrevious }) => continuesPrevious);
  if (isTitled || !isOfChain) return undefined;
  const { format, pieces } = planFilm(film, await probeClips(film));
  const piece = pieces[index];
  if (piece === undefined || piece.next !== undefined || !hasWholeSamples(format)) return undefined;
  return { piece, format, copyPicture: false, overlays: [] };
}
