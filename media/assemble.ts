import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FilmSpec } from './film';
import { planFilm, toSeconds, type FilmFormat, type FilmPlan } from './film-plan';
import { FfmpegMissingError, type Ffmpeg } from './find-ffmpeg';
import { joinArguments, listEntry } from './join';
import { writeThroughPart } from './part-file';
import { pictureStream } from './picture-stream';
import { pieceArguments, type Source } from './piece';
import { NotMediaError, probe, type MediaInfo } from './probe';
import { runFfmpeg } from './run-ffmpeg';
import { metadataText, subtitleText } from './text-tracks';
import { setTitle, type Title } from './title';

/** Part of the progress that the pieces make up; joining them is quick. */
const PIECES_SHARE = 0.95;

/** How far a film's length may be from its plan before it counts as broken, in seconds. */
const LENGTH_TOLERANCE_SECONDS = 0.1;

export interface AssembleOptions {
  readonly signal?: AbortSignal;
  /** Called with 0 to 1, never falling. */
  readonly onProgress?: (fraction: number) => void;
  /** Where scratch files go; they are about as large as the film and its sound uncompressed. Default: beside the film. */
  readonly folder?: string;
}

/** ffmpeg reported success, and yet the film is not as it was planned. */
export class FilmBrokenError extends Error {
  override readonly name = 'FilmBrokenError';
}

/**
 * Puts a film together.
 *
 * Every clip becomes a piece in the film's format, several at once; the pieces are then joined without touching their
 * frames. Where no edit asks for it and the clips are alike, their pictures are taken over as they are. The sound is
 * always encoded anew, once: packets of compressed sound do not end where frames do.
 *
 * The film appears under its name only when it is whole.
 *
 * @throws NotMediaError, FfmpegError, FfmpegMissingError where ffmpeg cannot draw the title, FilmBrokenError.
 */
export async function assemble(
  ffmpeg: Ffmpeg,
  film: FilmSpec,
  outPath: string,
  options: AssembleOptions = {},
): Promise<MediaInfo> {
  const folder = await makeScratchFolder(options.folder ?? dirname(outPath));
  try {
    const sources = await probeClips(film);
    const plan = planFilm(film, sources.map(({ info }) => info));
    const report = (fraction: number) => options.onProgress?.(fraction);
    report(0);
    const pieces = await renderPieces(ffmpeg, film, plan, sources, folder, {
      ...options,
      onProgress: (fraction) => report(fraction * PIECES_SHARE),
    });
    return await writeThroughPart(outPath, async (part) => {
      await join...
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
