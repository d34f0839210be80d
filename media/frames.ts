import { stat } from 'node:fs/promises';
import type { Ffmpeg } from './find-ffmpeg';
import { writeThroughPart } from './part-file';
import { runFfmpeg, type RunOptions } from './run-ffmpeg';

/** How far before the end of the file the quick way starts to decode, in seconds. Its frames are held in memory. */
const TAIL_SECONDS = 0.5;

/** 8 bits a channel: gateways and browsers take it, and a 16-bit PNG is several times as large. */
const PNG = ['-pix_fmt', 'rgb24', '-c:v', 'png', '-f', 'image2', '-update', '1'];

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
 * @throws NoFrameError, FfmpegError.
 */
export async function firstFrame(
  ffmpeg: Ffmpeg,
  clipPath: string,
  pngPath: string,
  options: FrameOptions = {},
): Promise<void> {
  await writeThroughPart(pngPath, async (part) => {
    await runFfmpeg(ffmpeg, ['-i', clipPath, '-map', '0:v:0', '-frames:v', '1', ...PNG, part], options);
    if (!(await isWritten(part))) throw new NoFrameError(clipPath);
  });
}

/**
 * Writes the last displayed frame of a clip's video stream as PNG, also where its sound goes on for longer.
 *
 * @throws NoFrameError, FfmpegError.
 */
export async function lastFrame(
  ffmpeg: Ffmpeg,
  clipPath: string,
  pngPath: string,
  options: FrameOptions = {},
): Promise<void> {
  await writeThroughPart(pngPath, async (part) => {
    // Past the end of the video stream ffmpeg writes nothing and reports success.
    const tail = ['-sseof', `-${TAIL_SECONDS}`, '-i', clipPath, '-map', '0:v:0', '-vf', 'reverse', '-frames:v', '1'];
    await runFfmpeg(ffmpeg, [...tail, ...PNG, part], options);
    if (await isWritten(part)) return;

    await runFfmpeg(ffmpeg, ['-i', clipPath, '-map', '0:v:0', ...PNG, part], options);
    if (!(await isWritten(part))) throw new NoFrameError(clipPath);
  });
}

async function isWritten(path: string): Promise<boolean> {
  return await stat(path).then(
    ({ size }) => size > 0,
    () => false,
  );
}
