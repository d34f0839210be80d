import { between } from '../random';
import { blend, glowSpot, pack, span, type Canvas, type Painter } from './canvas';
import { hex, mix } from './color';
import type { Stage } from './stage';

/** Largest number of birds in a flock. The smallest is 3. */
const FLOCK = 9;

const LANTERN = hex('#ffd9a0');

/** A few birds that cross the sky in clear weather, except at night and in a storm. */
export function birdPainter({ width, height, horizonY, mood, random, durationSeconds }: Stage): Painter {
  if (mood.weather !== 'clear' || mood.time === 'night' || mood.time === 'storm') return () => undefined;
  const color = pack(mix(mood.palette.land, mood.palette.sky, 0.3));
  const direction = random() < 0.5 ? -1 : 1;
  const middle = { x: width * between(random, 0.3, 0.7), y: horizonY * between(random, 0.25, 0.6) };
  const birds = Array.from({ length: 3 + Math.floor(random() * (FLOCK - 2)) }, () => ({
    x: middle.x + width * between(random, -0.16, 0.16),
    y: middle.y + height * between(random, -0.09, 0.09),
    wing: height * between(random, 0.011, 0.02),
    beat: between(random, 6, 9),
    phase: random() * 6,
  }));
  return (canvas, timeSeconds) => {
    const flown = direction * width * 0.035 * (timeSeconds - durationSeconds / 2);
    for (const { x, y, wing, beat, phase } of birds) {
      const swing = Math.sin(phase + beat * timeSeconds);
      paintBird(
        canvas,
        x + flown,
        y + wing * 0.3 * Math.sin(phase + timeSeconds) - wing * 0.2 * swing,
        wing,
        swing,
        color,
      );
    }
  };
}

/** A sailing boat on the water, with a lantern if it is dark. */
export function boatPainter({ width, height, horizonY, mood, random, panSpeed }: Stage): Painter {
  if (!mood.boat || mood.place !== 'sea') return () => undefined;
  const hull = pack(mix(mood.palette.land, mood.palette.horizon, 0.08));
  const sail = pack(mix(mood.palette.land, mood.palette.horizon, 0.42));
  const lantern = pack(LANTERN);
  const isDark = mood.time === 'night' || mood.time === 'storm' || mood.time === 'dusk';
  const size = height * between(random, 0.1, 0.15);
  const start = { x: width * between(random, 0.4, 0.6), y: horizonY + height * between(random, 0.06, 0.12) };
  return (canvas, timeSeconds) => {
    const x = start.x - panSpeed * 0.5 * timeSeconds;
    const y = start.y + size * 0.035 * Math.sin(timeSeconds * 1.6);
    const lean = 0.05 * Math.sin(timeSeconds * 1.1 + 1);
    paintSail(canvas, x, y - size * 0.14, size, lean, sail);
    paintHull(canvas, x, y, size, hull);
    if (isDark) glowSpot(canvas, x - size * 0.3, y - size * 0.22, size * 0.28, lantern, 240);
  };
}

/** Two wings whose tips rise and fall. */
function paintBird(
  { width, height, pixels }: Canvas,
  x: number,
  y: number,
  wing: number,
  swing: number,
  color: number,
): void {
  for (let column = Math.ceil(x - wing); column <= x + wing; column += 1) {
    const out = Math.abs(column - x) / wing;
    const middle = y - wing * swing * 0.55 * out ** 1.4 + wing * 0.3 * out * out;
    const half = 0.55 + (1 - out) * wing * 0.11;
    for (let row = Math.floor(middle - half); row <= middle + half + 1; row += 1) {
      const cover = Math.min(1, half + 0.5 - Math.abs(row - middle));
      if (cover <= 0 || row < 0 || row >= height || column < 0 || column >= width) continue;
      pixels[row * width + column] = blend(pixels[row * width + column] ?? 0, color, 230 * cover);
    }
  }
}

function paintHull(canvas: Canvas, x: number, y: number, size: number, color: number): void {
  const deep = size * 0.16;
  for (let down = 0; down < deep; down += 1) {
    const half = size * (0.5 - 0.2 * (down / deep) ** 1.5);
    span(canvas, Math.round(y - deep + down), x - half, x + half * 0.9, color);
  }
}

function paintSail(canvas: Canvas, x: number, foot: number, size: number, lean: number, color: number): void {
  const tall = size * 0.95;
  for (let up = 0; up < tall; up += 1) {
    const left = 1 - up / tall;
    const mast = x + lean * up;
    const row = Math.round(foot - up);
    span(canvas, row, mast + size * 0.03, mast + size * (0.03 + 0.36 * left ** 0.85), color);
    if (up < tall * 0.82) span(canvas, row, mast - size * (0.02 + 0.26 * (left - 0.18)), mast - size * 0.02, color);
  }
}
