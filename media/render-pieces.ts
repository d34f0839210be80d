import { join } from 'node:path';
import type { FilmSpec } from './film';
import { toSeconds, type FilmPlan } from './film-plan';
import type { Ffmpeg } from './find-ffmpeg';
import { pictureStream } from './picture-stream';
import { pieceArguments, type Source } from './piece';
import { runFfmpeg } from './run-ffmpeg';
import { setTitle } from './title';

export interface RenderPiecesOptions {
  readonly folder: string;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (fraction: number) => void;
}

/**
 * Renders the pieces of a film, as many at once as ffmpeg may run, and returns their paths in order.
 *
 * The first error stops the others, and is thrown once they have ended.
 */
export async function renderPieces(
  ffmpeg: Ffmpeg,
  film: FilmSpec,
  plan: FilmPlan,
  sources: readonly Source[],
  { folder, signal, onProgress }: RenderPiecesOptions,
): Promise<readonly string[]> {
  const title = film.title && (await setTitle(film.title, plan.format, folder));
  const copyPicture = await canCopyPictures(film, plan, sources);
  const failure = new AbortController();
  const stop = AbortSignal.any(signal ? [signal, failure.signal] : [failure.signal]);

  const done = plan.pieces.map(() => 0);
  const progress = (index: number) => (seconds: number) => {
    done[index] = Math.max(done[index] ?? 0, seconds);
    const total = done.reduce((sum, part) => sum + part, 0);
    onProgress(Math.min(1, total / toSeconds(plan.frames, plan.format.frameRate)));
  };

  const rendered = await Promise.allSettled(
    sources.map(async (source, index) => {
      const piece = plan.pieces[index];
      if (!piece) throw new Error(`No piece is planned for ${source.path}`);
      const startSeconds = toSeconds(piece.filmFrame, plan.format.frameRate);
      const job = {
        piece,
        format: plan.format,
        source,
        next: piece.fadeFrames > 0 ? sources[index + 1] : undefined,
        copyPicture,
        overlays: title && startSeconds < title.seconds ? title.filters(startSeconds) : [],
      };
      const path = join(folder, `piece-${index}.mov`);
      try {
        await runFfmpeg(ffmpeg, pieceArguments(job, path), { signal: stop, onProgress: progress(index) });
      } catch (error) {
        failure.abort(error);
        throw error;
      }
      progress(index)(toSeconds(piece.frames, plan.format.frameRate));
      return path;
    }),
  );
  stop.throwIfAborted();
  return rendered.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

/** Whether no edit touches the pictures and all of them are of one stream, in the format that the film is to have. */
async function canCopyPictures(
  film: FilmSpec,
  { format, pieces }: FilmPlan,
  sources: readonly Source[],
): Promise<boolean> {
  const isEdited = film.title || pieces.some(({ fadeFrames }) => fadeFrames > 0);
  if (isEdited || film.clips.slice(1).some(({ continuesPrevious }) => continuesPrevious)) return false;

  const { numerator, denominator } = format.frameRate;
  const isInFormat = sources.every(
    ({ info }) =>
      info.width === format.width &&
      info.height === format.height &&
      Math.abs((info.frameRate ?? 0) - numerator / denominator) < 0.001,
  );
  if (!isInFormat) return false;
  const streams = await Promise.all(sources.map(({ path }) => pictureStream(path)));
  return streams.every((stream) => stream !== null && stream === streams[0]);
}
