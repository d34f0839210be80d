import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ColorCorrection, ColorMeasures } from '../contracts/render/color';
import { fileInput } from './file-input';
import type { Ffmpeg } from './find-ffmpeg';
import { NoFrameError, PNG } from './frames';
import { writeThroughPart } from './part-file';
import { probe } from './probe';
import { decodeBounds, runFfmpeg, type RunOptions } from './run-ffmpeg';

/** Number of frames to measure. More frames change the means of a steady shot by less than one level of 255. */
const FRAMES = 8;

/** Maximum number of measured frames: a clip may be longer than its container states. */
const MOST_FRAMES = 2 * FRAMES;

/** Size of the measured frames. Grain and noise average out at this size, light and shade do not. */
const SIZE = { width: 320, height: 180 };

/** Weights of the channels in luma. Source: ITU-R BT.709. */
const LUMA = { red: 0.2126, green: 0.7152, blue: 0.0722 };

type ColorOptions = Pick<RunOptions, 'signal' | 'lowPriority'>;

/**
 * Measures the colors of a picture, or of frames spread evenly over a clip.
 *
 * @throws NoFrameError; the errors of `probe` and `runFfmpeg`.
 */
export async function measureColor(ffmpeg: Ffmpeg, path: string, options: ColorOptions = {}): Promise<ColorMeasures> {
  const info = await probe(path);
  const { videoDurationSeconds } = info;
  const spread = videoDurationSeconds ? `fps=${(FRAMES / videoDurationSeconds).toFixed(6)},` : '';
  const look = `${spread}scale=${SIZE.width}:${SIZE.height}:flags=area,format=rgb24`;
  const folder = await mkdtemp(join(tmpdir(), 'dailies-color-'));
  try {
    const raw = join(folder, 'frames');
    const asked = ['-map', '0:v:0', '-vf', look, '-frames:v', String(MOST_FRAMES), '-f', 'rawvideo', raw];
    await runFfmpeg(ffmpeg, [...fileInput(path, info), ...asked], {
      ...options,
      bounds: decodeBounds(info.durationSeconds),
    });
    const frames = framesOf(await readFile(raw));
    if (frames.length === 0) throw new NoFrameError(path);
    return meanOf(frames.map(measureFrame));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Writes a color-corrected picture as PNG. The same picture and correction give the same pixels.
 *
 * @throws the errors of `probe` and `runFfmpeg`.
 */
export async function correctColor(
  ffmpeg: Ffmpeg,
  picturePath: string,
  pngPath: string,
  { gain, shift }: ColorCorrection,
  options: ColorOptions = {},
): Promise<void> {
  // ffmpeg truncates fractions and limits values to the range, so 0.5 is added to round.
  const channel = (added: number): string => `val*${gain.toFixed(6)}+(${(added + 0.5).toFixed(6)})`;
  const table = `lutrgb=r=${channel(shift.red)}:g=${channel(shift.green)}:b=${channel(shift.blue)}`;
  const info = await probe(picturePath);
  await writeThroughPart(pngPath, (part) =>
    runFfmpeg(
      ffmpeg,
      [...fileInput(picturePath, info), '-vf', `format=rgb24,${table}`, '-frames:v', '1', ...PNG, part],
      options,
    ),
  );
}

function framesOf(bytes: Buffer): readonly Buffer[] {
  const frameBytes = SIZE.width * SIZE.height * 3;
  return Array.from({ length: Math.floor(bytes.length / frameBytes) }, (_, index) =>
    bytes.subarray(index * frameBytes, (index + 1) * frameBytes),
  );
}

function measureFrame(rgb: Buffer): ColorMeasures {
  const pixels = rgb.length / 3;
  let [red, green, blue, lumaSquares] = [0, 0, 0, 0];
  for (let at = 0; at < rgb.length; at += 3) {
    const [r, g, b] = [rgb[at] ?? 0, rgb[at + 1] ?? 0, rgb[at + 2] ?? 0];
    red += r;
    green += g;
    blue += b;
    lumaSquares += (LUMA.red * r + LUMA.green * g + LUMA.blue * b) ** 2;
  }
  const mean = { red: red / pixels, green: green / pixels, blue: blue / pixels };
  const brightness = LUMA.red * mean.red + LUMA.green * mean.green + LUMA.blue * mean.blue;
  return { ...mean, brightness, contrast: Math.sqrt(Math.max(0, lumaSquares / pixels - brightness ** 2)) };
}

function meanOf(frames: readonly ColorMeasures[]): ColorMeasures {
  const mean = (of: keyof ColorMeasures): number => frames.reduce((sum, frame) => sum + frame[of], 0) / frames.length;
  return {
    brightness: mean('brightness'),
    contrast: mean('contrast'),
    red: mean('red'),
    green: mean('green'),
    blue: mean('blue'),
  };
}
