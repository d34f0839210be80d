import { FilmError, type FilmSpec } from './film';
import { planFilm } from './film-plan';
import { hasWholeSamples, type PieceJob } from './piece';
import { probe } from './probe';

/**
 * Returns the job that renders a clip's piece of the film before the neighbouring clips exist.
 *
 * Undefined if
 * - the film has no clip at `index`;
 * - the next clip fades in, a caption is drawn over the piece, or it is the first piece of a film with a title;
 * - a frame does not last a whole number of sound samples: the piece then depends on its place in the film;
 * - neither this clip nor the next continues its previous clip: the film may then copy this clip's picture.
 *
 * @param film the clip and its neighbours. The neighbours' files need not exist.
 * @throws FilmError; the errors of `probe`.
 */
export async function jobAhead(film: FilmSpec, index: number): Promise<PieceJob | undefined> {
  const clip = film.clips[index];
  const isTitled = film.title !== undefined && index === 0;
  const isOfChain = film.clips.slice(index, index + 2).some(({ continuesPrevious }) => continuesPrevious);
  const isCaptioned = film.captions === 'burnt' && clip?.caption !== undefined;
  if (clip === undefined || isTitled || isCaptioned || !isOfChain) return undefined;
  const info = await probe(clip.path);
  if (info.kind !== 'video')
    throw new FilmError(`"${clip.chapter}" is not a video, but ${info.mediaType}: ${clip.path}`);
  const { format, pieces } = planFilm(
    film,
    film.clips.map(() => ({ path: clip.path, info })),
  );
  const piece = pieces[index];
  if (piece === undefined || piece.next !== undefined || !hasWholeSamples(format)) return undefined;
  return { piece, format, copyPicture: false, overlays: [] };
}
