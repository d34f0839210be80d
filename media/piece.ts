import { basename } from 'node:path';
import { fileInput } from './file-input';
import { type FilmFormat, type Piece, toSeconds } from './film-plan';
import type { Ffmpeg } from './find-ffmpeg';
import type { MediaInfo } from './probe';
import { renderBounds, runFfmpeg, type RunOptions } from './run-ffmpeg';

/** The film's sound: what browsers and players take without converting. */
export const SAMPLE_RATE = 48_000;

/**
 * Pieces become the film's picture as they are, so this is its quality. `veryfast` takes 0.4 of the time that `medium`
 * takes at the same crf, for 0.003 less SSIM at most (measured, 720p).
 *
 * `stitchable` keeps the stream headers of all pieces alike, so that they can be joined without touching the frames.
 */
const ENCODE_PICTURE = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '18', '-x264-params', 'stitchable=1'];

/**
 * Sound of a piece as decoders give it and the film's encoder takes it: nothing is rounded or clipped in between. The
 * noise of rounding to 16 bits costs that encoder up to a tenth more time where the sound is clean.
 */
const KEEP_SOUND = ['-c:a', 'pcm_f32le'];

/** Frames of the last picture added to a stream before it is cut to length, in case its tables promise too much. */
const SPARE_FRAMES = 50;

export interface PieceJob {
  readonly piece: Piece;
  readonly format: FilmFormat;
  /** Takes the picture over as it is; only for a whole clip in the film's own format. */
  readonly copyPicture: boolean;
  /** Filters to draw something over the picture, whose clock starts with the piece. */
  readonly overlays: readonly string[];
}

/**
 * Renders a piece; of low priority, on one core.
 *
 * @throws FfmpegError.
 */
export function renderPiece(ffmpeg: Ffmpeg, job: PieceJob, outPath: string, options: RunOptions): Promise<void> {
  const { piece, format } = job;
  const threads = options.lowPriority === true ? ['-threads', '1'] : [];
  return runFfmpeg(ffmpeg, [...threads, ...pieceArguments(job), ...threads, '-f', 'mov', outPath], {
    ...options,
    bounds: renderBounds(toSeconds(piece.skippedFrames + piece.frames, format.frameRate)),
  });
}

/**
 * All that a piece depends on: of one recipe they are alike, and can be joined. Clips count by their names, which in the
 * store are their hashes, so that it may lie elsewhere for others.
 */
export function pieceRecipe({ build }: Ffmpeg, { piece, ...job }: PieceJob): string {
  const { source, next } = piece;
  const named = <Clip extends { readonly path: string }>(clip: Clip): Clip => ({ ...clip, path: basename(clip.path) });
  const ofAnyFolder = { ...piece, source: named(source), next: next && named(next) };
  return JSON.stringify([build, ...pieceArguments({ ...job, piece: ofAnyFolder }, (path) => [path])]);
}

/** Whether a frame of this rate takes as many samples wherever it stands in the film. */
export function hasWholeSamples({ frameRate }: FilmFormat): boolean {
  return (SAMPLE_RATE * frameRate.denominator) % frameRate.numerator === 0;
}

/**
 * Arguments that render a piece: H.264 as the film will have it, and uncompressed sound of exactly the same length.
 *
 * The crossfade is an overlay with rising opacity and not `xfade`, which older builds lack; the pictures are the same.
 */
function pieceArguments(
  job: PieceJob,
  input: (path: string, info: MediaInfo) => readonly string[] = fileInput,
): readonly string[] {
  const { copyPicture } = job;
  const { source, next } = job.piece;
  return [
    ...input(source.path, source.info),
    ...(next ? input(next.path, next.info) : []),
    '-filter_complex',
    [...(copyPicture ? [] : pictureFilters(job)), ...soundFilters(job)].join(';'),
    ...(copyPicture ? ['-map', '0:v:0', '-c:v', 'copy'] : ['-map', '[picture]', ...ENCODE_PICTURE]),
    ...['-map', '[sound]', ...KEEP_SOUND, '-map_metadata', '-1', '-map_chapters', '-1'],
  ];
}

/** The number of samples before a frame, rounded from the film's beginning so that the error never adds up. */
function samplesBefore(frame: number, { frameRate }: FilmFormat): number {
  return Math.round((frame * frameRate.denominator * SAMPLE_RATE) / frameRate.numerator);
}

function pictureFilters({ piece, format, overlays }: PieceJob): readonly string[] {
  const { source, next, skippedFrames, frames, fadeFrames } = piece;
  const own = pictureOf(0, source.info, format, skippedFrames, skippedFrames + frames);
  const finish = ['format=yuv420p', ...overlays].join(',');
  if (!next) return [`${own},${finish}[picture]`];

  const fade = `format=yuva420p,fade=in:0:${fadeFrames}:alpha=1,setpts=PTS+${frames - fadeFrames}`;
  return [
    `${own}[own]`,
    `${pictureOf(1, next.info, format, 0, fadeFrames)},${fade}[next]`,
    `[own][next]overlay=eof_action=pass,${finish}[picture]`,
  ];
}

/** Frames `from` to `to` of an input at the film's rate, fitted into its frame; what is left over stays black. */
function pictureOf(
  input: number,
  info: MediaInfo,
  { width, height, frameRate }: FilmFormat,
  from: number,
  to: number,
): string {
  const scale = Math.min(width / (info.width ?? width), height / (info.height ?? height));
  const fit = (pixels: number | null, whole: number) =>
    Math.min(whole, Math.max(2, Math.round(((pixels ?? whole) * scale) / 2) * 2));
  const [fitWidth, fitHeight] = [fit(info.width, width), fit(info.height, height)];
  return [
    `[${input}:v:0]fps=fps=${frameRate.numerator}/${frameRate.denominator}:start_time=0`,
    `tpad=stop=${SPARE_FRAMES}:stop_mode=clone`,
    `trim=start_frame=${from}:end_frame=${to}`,
    'setpts=PTS-STARTPTS',
    `scale=${fitWidth}:${fitHeight}:flags=bicubic`,
    `pad=${width}:${height}:${(width - fitWidth) / 2}:${(height - fitHeight) / 2}`,
    'setsar=1',
  ].join(',');
}

function soundFilters({ piece, format }: PieceJob): readonly string[] {
  const { source, next } = piece;
  const skipped = samplesBefore(piece.skippedFrames, format);
  const samples = samplesBefore(piece.filmFrame + piece.frames, format) - samplesBefore(piece.filmFrame, format);
  const own = soundOf(0, source.info, skipped, skipped + samples);
  if (!next) return [`${own}[sound]`];

  const faded = samplesBefore(piece.fadeFrames, format);
  return [
    `${own}[ownSound]`,
    `${soundOf(1, next.info, 0, faded)}[nextSound]`,
    `[ownSound][nextSound]acrossfade=ns=${faded}:c1=qsin:c2=qsin[sound]`,
  ];
}

/** Samples `from` to `to` of an input in stereo; silence where it has none, or none any more. */
function soundOf(input: number, { audioCodec }: MediaInfo, from: number, to: number): string {
  const stereo = `aformat=sample_fmts=fltp:sample_rates=${SAMPLE_RATE}:channel_layouts=stereo`;
  const sound =
    audioCodec === null
      ? `anullsrc=r=${SAMPLE_RATE}:cl=stereo,${stereo}`
      : `[${input}:a:0]aresample=${SAMPLE_RATE}:async=1:first_pts=0,${stereo},apad`;
  return `${sound},atrim=start_sample=${from}:end_sample=${to},asetpts=PTS-STARTPTS`;
}
