import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ffmpeg } from '../../media/find-ffmpeg';
import { fileInput } from '../../media/file-input';
import { writeThroughPart } from '../../media/part-file';
import { runFfmpeg } from '../../media/run-ffmpeg';
import { FRAME_RATE } from '../rendering/clip-arguments';
import type { Size } from '../rendering/clip-size';
import type { ProbedFile } from '../tasks/file-values';
import type { TaskOutput } from '../tasks/task-journal';
import type { VideoWork } from '../tasks/work';
import { colorOf, hashOf } from './color';
import { openH264, type Still } from './h264';
import { type Track, writeMovie } from './mp4';
import { flatColor, writePng } from './png';

/** Divisor of the requested width and height: fewer pixels make later work on the clip faster. */
const SIZE_DIVISOR = 4;

/** AAC-LC, stereo, 48 kHz, and one silent packet of it. */
const AAC = { timeScale: 48_000, sampleDuration: 1024, configuration: Buffer.from('1190', 'hex') };
const SILENCE = Buffer.from('210049900219002380', 'hex');

export interface PlainClipOptions {
  readonly ffmpeg: Ffmpeg;
  readonly folder: string;
  readonly scratch: string;
  /** Distinguishes the clips of different takes: the request's seed or, without a seed, the task id. */
  readonly seed: string | number;
  /** The requested size. */
  readonly size: Size;
  readonly startFrame: ProbedFile | undefined;
  readonly endFrame: ProbedFile | undefined;
  readonly signal: AbortSignal;
}

/**
 * Writes a clip of one color without an encoder.
 *
 * The clip has the requested length, container and color depth, and about a quarter of the requested width and height.
 * A start frame becomes the first frame, and an end frame becomes the last frame.
 *
 * @throws FfmpegError for a given frame that cannot be decoded.
 */
export async function renderPlainClip(work: VideoWork, options: PlainClipOptions): Promise<TaskOutput> {
  const { folder, seed } = options;
  const size = reduced(options.size);
  const own = colorOf(work.prompt, seed);
  const [first, last] = await Promise.all(
    [options.startFrame, options.endFrame].map(async (frame) =>
      frame === undefined ? undefined : await stillOf(frame, size, options),
    ),
  );

  const colorDepth = work.colorDepth === '10bit' ? 10 : 8;
  const h264 = openH264({ ...size, colorDepth, frameRate: FRAME_RATE });
  const count = work.durationSeconds * FRAME_RATE;
  const stills = new Map<number, Still>([[0, own]]);
  if (first !== undefined) stills.set(0, first).set(1, own);
  if (last !== undefined) stills.set(count - 1, last);

  let key = 0;
  const samples = Array.from({ length: count }, (_, frame) => {
    const still = stills.get(frame);
    if (still === undefined) return h264.repeat(frame - key);
    key = frame;
    return h264.key(still, frame === 0 ? hashOf(work.prompt, seed) : undefined);
  });
  const { configuration } = h264;
  const video = { ...size, timeScale: FRAME_RATE, sampleDuration: 1, samples, configuration, keys: [...stills.keys()] };
  const { container } = work;
  const movie = writeMovie({
    container,
    video,
    ...(work.sound && { audio: { ...AAC, samples: silence(work.durationSeconds) } }),
  });

  const file = `video.${container}`;
  await writeThroughPart(join(folder, file), (part) => writeFile(part, movie));
  if (!work.returnLastFrame) return { file };
  const lastFrame = 'last-frame.png';
  await writeThroughPart(join(folder, lastFrame), (part) => writeFile(part, writePng(size, last ?? own)));
  return { file, lastFrame };
}

function silence(seconds: number): Track['samples'] {
  return Array<Buffer>(Math.ceil((seconds * AAC.timeScale) / AAC.sampleDuration)).fill(SILENCE);
}

function reduced({ width, height }: Size): Size {
  const even = (pixels: number) => 2 * Math.round(pixels / SIZE_DIVISOR / 2);
  return { width: even(width), height: even(height) };
}

/** The picture as a still. A PNG of one color needs no ffmpeg; ffmpeg scales any other picture. */
async function stillOf(
  { path, info }: ProbedFile,
  size: Size,
  { ffmpeg, scratch, signal }: PlainClipOptions,
): Promise<Still> {
  const color = flatColor(await readFile(path));
  if (color !== undefined) return color;
  const { width, height } = size;
  const cover = `scale=${width}:${height}:force_original_aspect_ratio=increase,crop=${width}:${height}`;
  return await writeThroughPart(join(scratch, 'frame.rgb'), async (part) => {
    const raw = ['-vf', cover, '-frames:v', '1', '-pix_fmt', 'rgb24', '-f', 'rawvideo', part];
    await runFfmpeg(ffmpeg, [...fileInput(path, info), ...raw], { signal });
    return await readFile(part);
  });
}
