import { between } from '../random';
import { blend, glowSpot, pack, type Canvas, type Painter } from './canvas';
import { hex, mix, type Color } from './color';
import type { Weather } from './mood';
import type { Stage } from './stage';

interface Drift {
  /**
   * Number of particles in a picture of 640 × 360; a picture of another size has particles in proportion to its area.
   */
  readonly count: number;
  /** Smallest and largest radius, as a share of the height. */
  readonly radius: readonly [number, number];
  /** Slowest and fastest fall, in picture heights per second; negative is upwards. */
  readonly fall: readonly [number, number];
  /** Sideways swing, as a share of the height. */
  readonly sway: number;
  readonly strength: number;
  /** Undefined for the color of the mood's light. */
  readonly color: Color | undefined;
}

const DRIFTS: Readonly<Record<Exclude<Weather, 'rain'>, Drift>> = {
  clear: { count: 46, radius: [0.003, 0.008], fall: [-0.03, 0.02], sway: 0.05, strength: 90, color: undefined },
  snow: { count: 190, radius: [0.003, 0.011], fall: [0.09, 0.24], sway: 0.03, strength: 200, color: hex('#f4f8ff') },
  embers: { count: 80, radius: [0.003, 0.009], fall: [-0.24, -0.08], sway: 0.06, strength: 230, color: hex('#ff9a3c') },
  fireflies: {
    count: 60,
    radius: [0.006, 0.014],
    fall: [-0.02, 0.02],
    sway: 0.09,
    strength: 200,
    color: hex('#d8f07a'),
  },
};

/** Number of rain drops in a picture of 640 × 360. */
const RAIN_DROPS = 260;

/** Particles that drift or fall between the camera and the land. */
export function weatherPainter(stage: Stage): Painter {
  return stage.mood.weather === 'rain' ? rainPainter(stage) : driftPainter(stage, DRIFTS[stage.mood.weather]);
}

function driftPainter({ width, height, mood, random, panSpeed }: Stage, drift: Drift): Painter {
  const light = pack(drift.color ?? mood.palette.light);
  const particles = Array.from({ length: share(drift.count, width, height) }, () => ({
    x: random() * width,
    y: random() * height,
    radius: Math.max(1, height * between(random, ...drift.radius)),
    fall: height * between(random, ...drift.fall),
    phase: random() * 6.3,
    speed: between(random, 0.4, 1.1),
    near: between(random, 0.2, 0.9),
  }));
  return (canvas, timeSeconds) => {
    for (const { x, y, radius, fall, phase, speed, near } of particles) {
      const turn = phase + speed * timeSeconds;
      const across = x + height * drift.sway * Math.sin(turn) - panSpeed * near * timeSeconds;
      const strength = drift.strength * (0.55 + 0.45 * Math.sin(turn * 1.7));
      glowSpot(canvas, wrap(across, width), wrap(y + fall * timeSeconds, height), radius, light, strength);
    }
  };
}

function rainPainter({ width, height, mood, random }: Stage): Painter {
  const color = pack(mix(mood.palette.horizon, mood.palette.light, 0.5));
  const drops = Array.from({ length: share(RAIN_DROPS, width, height) }, () => {
    const near = between(random, 0.4, 1);
    return { x: random() * width, y: random() * height, near, length: height * 0.055 * near, cover: 95 * near };
  });
  return (canvas, timeSeconds) => {
    for (const { x, y, near, length, cover } of drops) {
      const fallen = timeSeconds * height * 1.7 * near;
      streak(canvas, wrap(x - fallen * 0.16, width), wrap(y + fallen, height), length, color, cover);
    }
  };
}

function streak(
  { width, height, pixels }: Canvas,
  x: number,
  y: number,
  length: number,
  color: number,
  cover: number,
): void {
  for (let step = 0; step < length; step += 1) {
    const row = Math.round(y + step);
    const column = Math.round(x - step * 0.16);
    if (row < 0 || row >= height || column < 0 || column >= width) continue;
    const index = row * width + column;
    pixels[index] = blend(pixels[index] ?? 0, color, cover);
  }
}

function share(count: number, width: number, height: number): number {
  return Math.round((count * width * height) / (640 * 360));
}

function wrap(position: number, length: number): number {
  return ((position % length) + length) % length;
}
