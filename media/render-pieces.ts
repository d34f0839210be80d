import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import type { FilmSpec } from './film';
import { toSeconds, type FilmFormat, type FilmPlan, type Piece } from './film-plan';
import type { Ffmpeg } from './find-ffmpeg';
import { pictureStreamOf } from './prober/prober';
import { pieceRecipe, renderPiece } from './piece';
import { burntSpans, layOutCaptions } from './text/burnt-captions';
import { layOutTitle } from './text/title';

/** Hard-links the stored piece with this `pieceRecipe` to a path. False if it is missing or cannot be linked. */
export type LinkPiece = (recipe: string, path: string) => Promise<boolean>;

export interface RenderPiecesOptions {
  readonly folder: string;
  readonly signal: AbortSignal | undefined;
  /** Default: every piece is rendered. */
  readonly linkPiece: LinkPiece | undefined;
  readonly onProgress: (fraction: number) => void;
}

/**
 * Renders the pieces of a film, or links those rendered ahead, and returns the paths of all pieces in order.
 *
 * `runFfmpeg` limits how many render at once. The first error stops all renders, and is thrown when they have ended.
 */
export async function renderPieces(
  ffmpeg: Ffmpeg,
  film: FilmSpec,
  plan: FilmPlan,
  { folder, signal, linkPiece, onProgress }: RenderPiecesOptions,
): Promise<readonly string[]> {
  const { format, pieces, frames } = plan;
  const spans = burntSpans(film, plan);
  const captions = await layOutCaptions(ffmpeg, spans, format, folder);
  const title = film.title && (await layOutTitle(ffmpeg, film.title, format, folder));
  const copyPicture = spans.length === 0 && (await canCopyPictures(film, format, pieces));
  const failure = new AbortController();
  const stop = AbortSignal.any(signal ? [signal, failure.signal] : [failure.signal]);
  // Every piece that waits for its turn adds a listener.
  setMaxListeners(0, stop);

  const doneSeconds = new Map<Piece, number>();
  const report = (piece: Piece, seconds: number) => {
    doneSeconds.set(piece, Math.max(doneSeconds.get(piece) ?? 0, seconds));
    const total = [...doneSeconds.values()].reduce((sum, part) => sum + part, 0);
    onProgress(Math.min(1, total / toSeconds(frames, format.frameRate)));
  };

  async function render(piece: Piece, path: string): Promise<void> {
    const startSeconds = toSeconds(piece.filmFrame, format.frameRate);
    const overlays = [
      ...(title && startSeconds < title.seconds ? title.filters(startSeconds) : []),
      ...captions(piece),
    ];
    const job = { piece, format, copyPicture, overlays };
    const isLinked = !copyPicture && (await linkPiece?.(pieceRecipe(ffmpeg, job), path)) === true;
    if (!isLinked) {
      await renderPiece(ffmpeg, job, path, {
        signal: stop,
        onProgress: (seconds) => {
          report(piece, seconds);
        },
      });
    }
    report(piece, toSeconds(piece.frames, format.frameRate));
  }

  const paths = await Promise.all(
    pieces.map(async (piece, index) => {
      const path = join(folder, `piece-${index}.mov`);
      await render(piece, path).catch((error: unknown) => {
        failure.abort(error);
      });
      return path;
    }),
  );
  stop.throwIfAborted();
  return paths;
}

/**
 * True if the film has no title, fades or continued shots, and all clips have the film's format and equal picture
 * streams. Does not check captions.
 */
async function canCopyPictures(film: FilmSpec, format: FilmFormat, pieces: readonly Piece[]): Promise<boolean> {
  const isEdited = film.title ?? pieces.some(({ fadeFrames }) => fadeFrames > 0);
  if (isEdited || film.clips.slice(1).some(({ continuesPrevious }) => continuesPrevious)) return false;

  const frameRate = format.frameRate.numerator / format.frameRate.denominator;
  const isInFormat = pieces.every(
    ({ source: { info } }) =>
      info.width === format.width &&
      info.height === format.height &&
      Math.abs((info.frameRate ?? 0) - frameRate) < 0.001,
  );
  if (!isInFormat) return false;

  const streams = new Set<string | null>();
  for (const { source } of pieces) streams.add(await pictureStreamOf(source.path));
  return streams.size === 1 && !streams.has(null);
}
