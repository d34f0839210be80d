import { stat } from 'node:fs/promises';
import type { Ffmpeg } from './find-ffmpeg';
import { fileInput } from './file-input';
import { writeThroughPart } from './part-file';
import { type MediaInfo, probe } from './probe';
import { decodeBounds, runFfmpeg, type RunOptions } from './run-ffmpeg';

/**
 * Number of last frames that are decoded first. If they yield no frame, the whole clip is decoded. The number is more
 * than one, because the last frames may have odd timestamps.
 */
const TAIL_FRAMES = 6;

/**
 * A filter that outputs only the last frame, and buffers no others.
 *
 * At this very low output rate, all frames fall into one output interval. The filter keeps the latest frame of an
 * interval, and outputs it at the end of the stream.
 */
const ONLY_LAST = ['-vf', 'fps=fps=1/1000000:round=down:eof_action=pass'];

/** PNG with 8 bits per channel: gateways and browsers accept it, and a 16-bit PNG is several times as large. */
export const PNG = ['-pix_fmt', 'rgb24', '-c:v', 'png', '-f', 'image2', '-update', '1'];

type FrameOptions = Pick<RunOptions, 'signal'>;

/** The file has no picture that can be decoded. */
export class NoFrameError extends Error {
  override readonly name = 'NoFrameError';

  constructor(clipPath: string) {
    super(`No frame could be decoded from ${clipPath}`);
  }
}

/**
 * Writes the first displayed frame of a clip as PNG.
 *
 * @throws NoFrameError; the errors of `probe` and `runFfmpeg`.
 */
export async function firstFrame(
  ffmpeg: Ffmpeg,
  clipPath: string,
  pngPath: string,
  options: FrameOptions = {},
): Promise<void> {
  await writeThroughPart(pngPath, async (part) => {
    const input = fileInput(clipPath, await probe(clipPath));
    await runFfmpeg(ffmpeg, [...input, '-map', '0:v:0', '-frames:v', '1', ...PNG, part], options);
    if (!(await isWritten(part))) throw new NoFrameError(clipPath);
  });
}

/**
 * Writes the last displayed frame of a clip as PNG. The clip's sound may be longer than its picture.
 *
 * @throws NoFrameError; the errors of `probe` and `runFfmpeg`.
 */
export async function lastFrame(
  ffmpeg: Ffmpeg,
  clipPath: string,
  pngPath: string,
  options: FrameOptions = {},
): Promise<void> {
  await writeThroughPart(pngPath, async (part) => {
    const info = await probe(clipPath);
    const input = fileInput(clipPath, info);
    const cut = (seek: readonly string[]) =>
      runFfmpeg(ffmpeg, [...seek, ...input, '-map', '0:v:0', ...ONLY_LAST, ...PNG, part], {
        ...options,
        bounds: decodeBounds(info.durationSeconds),
      });
    const start = tailStart(info);
    if (start > 0) {
      await cut(['-ss', start.toFixed(6)]);
      // If the seek goes past the last frame, ffmpeg writes nothing and reports success.
      if (await isWritten(part)) return;
    }
    await cut([]);
    if (!(await isWritten(part))) throw new NoFrameError(clipPath);
  });
}

/** Start of the last frames in the video stream, in seconds. The stream may end before the sound. */
function tailStart({ videoDurationSeconds, frameRate }: MediaInfo): number {
  return videoDurationSeconds === null || frameRate === null ? 0 : videoDurationSeconds - TAIL_FRAMES / frameRate;
}

async function isWritten(path: string): Promise<boolean> {
  return await stat(path).then(
    ({ size }) => size > 0,
    () => false,
  );
}
