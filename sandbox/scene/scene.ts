import type { Size } from '../rendering/clip-size';
import { seededRandom } from '../random';
import type { Canvas, Painter } from './canvas';
import { moodOf } from './mood';
import { beaconPainter } from './paint-beacon';
import { closePainter } from './paint-close';
import { birdPainter, boatPainter } from './paint-figures';
import { landPainter } from './paint-land';
import { cloudPainter, lightPainter, skyPainter, starPainter } from './paint-sky';
import { waterPainter } from './paint-water';
import { weatherPainter } from './paint-weather';
import { setStage, type Stage } from './stage';

export interface SceneOptions extends Size {
  readonly prompt: string;
  /** Distinguishes takes of one prompt: the mood stays, the framing changes. */
  readonly seed: string | number;
  readonly durationSeconds: number;
}

/** A moving picture that depends on the prompt and the seed. */
export interface Scene extends Size {
  /** Paints the picture at the given time as rows of ffmpeg's `rgb0` pixels, in a new buffer. */
  paint(timeSeconds: number): Uint8Array;
}

/** Darkness of the corners, from 0 to 1. */
const VIGNETTE = 0.34;

export function createScene(options: SceneOptions): Scene {
  const { prompt, seed, durationSeconds, width, height } = options;
  const random = seededRandom('scene', prompt, seed);
  const stage = setStage({ width, height }, durationSeconds, moodOf(prompt), random);
  const painters = [
    ...(stage.mood.place === 'close' ? [closePainter(stage)] : outdoors(stage)),
    weatherPainter(stage),
    vignettePainter(stage),
  ];
  return {
    width,
    height,
    paint(timeSeconds) {
      const canvas: Canvas = { width, height, pixels: new Uint32Array(width * height) };
      for (const paint of painters) paint(canvas, timeSeconds);
      return new Uint8Array(canvas.pixels.buffer);
    },
  };
}

/** Painters from back to front. */
function outdoors(stage: Stage): Painter[] {
  return [
    skyPainter(stage),
    starPainter(stage),
    lightPainter(stage),
    cloudPainter(stage),
    birdPainter(stage),
    landPainter(stage),
    waterPainter(stage),
    boatPainter(stage),
    beaconPainter(stage),
  ];
}

function vignettePainter({ width, height }: Size): Painter {
  const keep = Uint16Array.from({ length: width * height }, (_, index) => {
    const x = (index % width) / width - 0.5;
    const y = Math.floor(index / width) / height - 0.5;
    return 256 * (1 - VIGNETTE * Math.min(1, (x * x + y * y) * 2) ** 1.5);
  });
  return ({ pixels }) => {
    for (let index = 0; index < pixels.length; index += 1) {
      const pixel = pixels[index] ?? 0;
      const share = keep[index] ?? 256;
      pixels[index] =
        ((((pixel & 0xff00ff) * share) >>> 8) & 0xff00ff) | ((((pixel & 0x00ff00) * share) >>> 8) & 0x00ff00);
    }
  };
}
