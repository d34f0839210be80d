import { FilmError, type FilmSpec } from './film';
import { planFilm } from './film-plan';
import { hasWholeSamples, type PieceJob } from './piece';
import { probe } from './probe';

/**
 * How a clip is rendered for its film, told before the clips beside it are there: in `film` the clip itself stands for
 * those, in their order.
 *
 * Undefined where that hangs on more than the clip: on the next one where that fades in, on a title or captions that are drawn over it,
 * on its place in the film where frames and samples do not go evenly. And where its picture may be taken over as it is.
 *
 * @throws FilmError, NotMediaError.
 */
export async function jobAhead(film: FilmSpec, index: number): Promise<PieceJob | undefined> {
  const clip = film.clips[index];
  const isTitled = film.title !== undefined && index === 0;
  const isOfChain = film.clips.slice(index, index + 2).some(({ continuesPrevious }) => continuesPrevious);
  const isCaptioned = film.captions === 'burnt' && clip?.caption !== undefined;
  if (clip === undefined || isTitled || isCaptioned || !isOfChain) return undefined;
  const info = await probe(clip.path);
  if (info.kind !== 'video') throw new FilmError(`"${clip.chapter}" is no video but ${info.mediaType}: ${clip.path}`);
  const { format, pieces } = planFilm(
    film,
    film.clips.map(() => ({ path: clip.path, info })),
  );
  const piece = pieces[index];
  if (piece === undefined || piece.next !== undefined || !hasWholeSamples(format)) return undefined;
  return { piece, format, copyPicture: false, overlays: [] };
}
