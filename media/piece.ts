import { basename } from 'node:path';
import { fileInput } from './file-input';
import { type FilmFormat, type Piece, toSeconds } from './film-plan';
import type { Ffmpeg } from './find-ffmpeg';
import type { MediaInfo } from './probe';
import { renderBounds, runFfmpeg, type RunOptions } from './run-ffmpeg';

/** Sample rate of the film's sound, in Hz. Browsers and players support this rate. */
export const SAMPLE_RATE = 48_000;

/**
 * The film copies the pieces' pictures, so these settings decide its quality. `veryfast` takes 0.4 of the time of
 * `medium` at the same crf, for at most 0.003 less SSIM (measured at 720p).
 *
 * `stitchable` keeps the stream headers of all pieces alike, so that they can be joined without encoding them again.
 */
const ENCODE_PICTURE = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '18', '-x264-params', 'stitchable=1'];

/**
 * ffmpeg decodes and encodes AAC in 32-bit floats too, so samples are neither rounded nor clipped. Rounding to 16 bits
 * would add noise, which makes the encoding of clean sound up to a tenth slower.
 */
const KEEP_SOUND = ['-c:a', 'pcm_f32le'];

/**
 * The last frame is repeated this often before a stream is cut to length, because a clip's index may list more frames
 * than can be decoded.
 */
const SPARE_FRAMES = 50;

export interface PieceJob {
  readonly piece: Piece;
  readonly format: FilmFormat;
  /** Whether to copy the picture. Only allowed for a whole clip in the film's own format. */
  readonly copyPicture: boolean;
  /** Filters that draw over the picture. Their time 0 is the start of the piece. */
  readonly overlays: readonly string[];
}

/**
 * Renders a piece. With low priority, ffmpeg uses one thread for decoding the first input and one for encoding.
 *
 * @throws the errors of `runFfmpeg`.
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
 * Returns a text of everything that a piece depends on. Pieces with the same recipe are alike, so one can replace the
 * other.
 *
 * Clips are named by their file names, which are hashes in the store, so the recipe does not depend on the store's
 * path.
 */
export function pieceRecipe({ build }: Ffmpeg, { piece, ...job }: PieceJob): string {
  const { source, next } = piece;
  const named = <Clip extends { readonly path: string }>(clip: Clip): Clip => ({ ...clip, path: basename(clip.path) });
  const ofAnyFolder = { ...piece, source: named(source), next: next && named(next) };
  return JSON.stringify([build, ...pieceArguments({ ...job, piece: ofAnyFolder }, (path) => [path])]);
}

/** True if every frame of the film lasts the same whole number of samples. */
export function hasWholeSamples({ frameRate }: FilmFormat): boolean {
  return (SAMPLE_RATE * frameRate.denominator) % frameRate.numerator === 0;
}

/**
 * ffmpeg's arguments that render a piece: H.264 as in the film, and uncompressed sound of exactly the same length.
 *
 * The crossfade is an overlay with rising opacity, because older builds lack `xfade`. Both give the same pictures.
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

/**
 * Number of samples before a frame. The borders of pieces are counted from the film's start, so that rounding does not
 * accumulate.
 */
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

/** Frames `from` to `to - 1` of an input at the film's rate, fitted into the film's frame with black borders. */
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

/** Samples `from` to `to - 1` of an input in stereo, with silence where the input has no sound. */
function soundOf(input: number, { audioCodec }: MediaInfo, from: number, to: number): string {
  const stereo = `aformat=sample_fmts=fltp:sample_rates=${SAMPLE_RATE}:channel_layouts=stereo`;
  const sound =
    audioCodec === null
      ? `anullsrc=r=${SAMPLE_RATE}:cl=stereo,${stereo}`
      : `[${input}:a:0]aresample=${SAMPLE_RATE}:async=1:first_pts=0,${stereo},apad`;
  return `${sound},atrim=start_sample=${from}:end_sample=${to},asetpts=PTS-STARTPTS`;
}
