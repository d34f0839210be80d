import { between } from '../random';
import { glowSpot, lighten, pack, span, type Canvas, type Painter } from './canvas';
import { hex, mix } from './color';
import type { Stage } from './stage';

const LAMP = hex('#fff2c8');

const TURN_SECONDS = 6;

/** A lighthouse on its rock, if the mood has one. A beam sweeps over the sky, except by day. */
export function beaconPainter(stage: Stage): Painter {
  const { width, height, mood, random, horizonY, light } = stage;
  if (!mood.beacon) return () => undefined;
  const tall = height * between(random, 0.3, 0.4);
  // The lighthouse stands on the side away from the sun or the moon, to leave room for the beam.
  const x = width * (light.x < width / 2 ? between(random, 0.68, 0.82) : between(random, 0.18, 0.32));
  const foot = horizonY + height * 0.03;
  const lampY = foot - tall * 0.93;
  const dark = pack(mix(mood.palette.land, mood.palette.horizon, 0.08));
  const pale = pack(mix(mood.palette.land, mood.palette.horizon, 0.34));
  const glow = pack(LAMP);
  const isDark = mood.time !== 'day';
  const phase = random() * Math.PI * 2;

  return (canvas, timeSeconds) => {
    const turn = phase + (timeSeconds / TURN_SECONDS) * Math.PI * 2;
    const facing = Math.cos(turn);
    if (isDark) {
      // Seen from the side, a turning beam grows, shortens as it points at the viewer, and grows again.
      paintBeam(canvas, x, lampY, Math.sign(facing), Math.abs(facing), glow);
    }
    paintRock(canvas, x, foot, tall * 0.62, tall * 0.2, dark);
    paintTower(canvas, x, foot, tall, dark, pale);
    const flare = 0.45 + 0.55 * Math.max(0, Math.sin(turn)) ** 6;
    if (isDark) glowSpot(canvas, x, lampY, tall * (0.12 + 0.3 * flare), glow, 120 + 130 * flare);
    glowSpot(canvas, x, lampY, tall * 0.05, glow, 256);
  };
}

function paintBeam(canvas: Canvas, x: number, y: number, side: number, reach: number, light: number): void {
  const { width, height, pixels } = canvas;
  const length = width * 0.95 * reach;
  for (let step = 1; step < length; step += 1) {
    const column = Math.round(x + side * step);
    if (column < 0 || column >= width) return;
    const half = 1.5 + step * 0.085;
    const middle = y - step * 0.03;
    const strength = 165 * (0.35 + 0.65 * reach) * (1 - step / length) ** 1.3;
    for (let row = Math.max(0, Math.ceil(middle - half)); row <= Math.min(height - 1, middle + half); row += 1) {
      const edge = 1 - Math.abs(row - middle) / half;
      const index = row * width + column;
      pixels[index] = lighten(pixels[index] ?? 0, light, strength * edge);
    }
  }
}

function paintTower(canvas: Canvas, x: number, foot: number, tall: number, dark: number, pale: number): void {
  const top = foot - tall;
  for (let y = Math.floor(top); y < foot; y += 1) {
    const up = (foot - y) / tall;
    const half = towerHalf(up) * tall;
    const isBand = up < 0.84 && Math.floor(up * 7) % 2 === 1;
    span(canvas, y, x - half, x + half, isBand ? pale : dark);
  }
}

/** Half the tower's width at the height `up`. The width and `up` are shares of the tower's height. */
function towerHalf(up: number): number {
  if (up < 0.84) return 0.085 - 0.04 * up;
  if (up < 0.88) return 0.075;
  if (up < 0.96) return 0.032;
  return Math.max(0.006, 0.05 * (1 - up) * 25);
}

function paintRock(canvas: Canvas, x: number, foot: number, half: number, rise: number, color: number): void {
  for (let column = Math.ceil(x - half); column <= x + half; column += 1) {
    const out = (column - x) / half;
    const rough = 0.08 * Math.sin(column * 0.23) + 0.05 * Math.sin(column * 0.61);
    const top = foot - rise * Math.max(0, Math.sqrt(1 - out * out) - 0.45 + rough) * 0.9;
    if (column < 0 || column >= canvas.width) continue;
    for (
      let y = Math.max(0, Math.round(top));
      y < Math.min(canvas.height, foot + rise * 0.25 * (1 - out * out));
      y += 1
    ) {
      canvas.pixels[y * canvas.width + column] = color;
    }
  }
}
