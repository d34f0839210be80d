import type { Size } from '../rendering/clip-size';
import { between, type Random } from '../random';
import type { Mood } from './mood';

/** Settings that all painters of a scene share. Lengths are in pixels of the scene. */
export interface Stage extends Size {
  readonly mood: Mood;
  readonly random: Random;
  readonly durationSeconds: number;
  /** Row in which the sky ends. */
  readonly horizonY: number;
  readonly light: { readonly x: number; readonly y: number; readonly radius: number };
  /** Leftward speed of the nearest things, in pixels per second; negative: rightward. Farther things are slower. */
  readonly panSpeed: number;
  /** How far the nearest things sink while the camera rises, in pixels over the whole clip. */
  readonly rise: number;
}

/** Chooses the framing and the camera's movement, which differ between takes of a prompt. */
export function setStage(size: Size, durationSeconds: number, mood: Mood, random: Random): Stage {
  const { width, height } = size;
  const direction = random() < 0.5 ? -1 : 1;
  const isLow = mood.time === 'dawn' || mood.time === 'dusk';
  const horizonY = height * (mood.place === 'sea' ? between(random, 0.54, 0.66) : between(random, 0.6, 0.74));
  const lightHeight = isLow ? between(random, 0.04, 0.2) : between(random, 0.38, 0.62);
  return {
    ...size,
    mood,
    random,
    durationSeconds,
    horizonY,
    light: {
      x: width * between(random, 0.22, 0.78),
      y: Math.max(height * 0.13, horizonY - height * lightHeight),
      radius: Math.min(width, height) * (isLow ? 0.075 : 0.05),
    },
    panSpeed: direction * width * between(random, 0.035, 0.06),
    rise: height * between(random, 0, 0.1),
  };
}
