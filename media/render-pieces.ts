import { setMaxListeners } from 'node:events';
import { dirname, join } from 'node:path';
import type { FilmSpec } from './film';
import { toSeconds, type FilmFormat, type FilmPlan, type Piece } from './film-plan';
import type { Ffmpeg } from './find-ffmpeg';
import { decoderSetup, pictureStream } from './picture-stream';
import { pieceRecipe, renderPiece, type PieceJob } from './piece';
import { setTitle } from './title';

/** Finds the path of a piece by its recipe. */
export type FindPiece = (recipe: string) => Promise<string | undefined>;

/** Where no piece was rendered ahead. */
export const noneAhead: FindPiece = () => Promise.resolve(undefined);

export interface RenderPiecesOptions {
  readonly folder: string;
  readonly signal: AbortSignal | undefined;
  readonly findPiece: FindPiece;
  readonly onProgress: (fraction: number) => void;
}

/**
 * Renders the pieces of a film that were not rendered ahead, as many at once as ffmpeg may run, and returns the paths of
 * all in order.
 *
 * The first error stops the others, and is thrown once they have ended.
 */
export async function renderPieces(
  ffmpeg: Ffmpeg,
  film: FilmSpec,
  { format, pieces, frames }: FilmPlan,
  { folder, signal, findPiece, onProgress }: RenderPiecesOptions,
): Promise<readonly string[]> {
  const title = film.title && (await setTitle(ffmpeg, film.title, format, folder));
  const copyPicture = await canCopyPictures(film, format, pieces);
  const failure = new AbortController();
  const stop = AbortSignal.any(signal ? [signal, failure.signal] : [failure.signal]);
  // Every piece listens while it waits for its turn.
  setMaxListeners(0, stop);

  const doneSeconds = new Map<Piece, number>();
  const report = (piece: Piece, seconds: number) => {
    doneSeconds.set(piece, Math.max(doneSeconds.get(piece) ?? 0, seconds));
    const total = [...doneSeconds.values()].reduce((sum, part) => sum + part, 0);
    onProgress(Math.min(1, total / toSeconds(frames, format.frameRate)));
  };

  const jobs = pieces.map((piece): PieceJob => {
    const startSeconds = toSeconds(piece.filmFrame, format.frameRate);
    const overlays = title && startSeconds < title.seconds ? title.filters(startSeconds) : [];
    return { piece, format, copyPicture, overlays };
  });

  async function render(job: PieceJob, path: string): Promise<string> {
    await renderPiece(ffmpeg, job, path, {
      signal: stop,
      onProgress: (seconds) => {
        report(job.piece, seconds);
      },
    });
    return path;
  }

  /** All pieces, those that are found as they are. */
  async function take(find: FindPiece): Promise<readonly string[]> {
    const paths = await Promise.all(
      jobs.map(async (job, index) => {
        try {
          const path =
            (await find(pieceRecipe(ffmpeg, job))) ?? (await render(job, join(folder, `piece-${index}.mov`)));
          report(job.piece, toSeconds(job.piece.frames, format.frameRate));
          return path;
        } catch (error) {
          failure.abort(error);
          return '';
        }
      }),
    );
    stop.throwIfAborted();
    return paths;
  }

  const paths = await take(findPiece);
  const isAhead = paths.some((path) => dirname(path) !== folder);
  // Two builds of one version may differ in how they encode.
  return isAhead && !(await fitTogether(paths)) ? take(noneAhead) : paths;
}

/** Whether all can be read, and a decoder that is set up for one takes the others. */
async function fitTogether(paths: readonly string[]): Promise<boolean> {
  const setups = new Set<string | null>();
  for (const path of paths) setups.add(await decoderSetup(path).catch(() => null));
  return setups.size === 1 && !setups.has(null);
}

/** Whether no edit touches the pictures and all of them are of one stream, in the format that the film is to have. */
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
  for (const { source } of pieces) streams.add(await pictureStream(source.path));
  return streams.size === 1 && !streams.has(null);
}
