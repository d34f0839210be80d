import { between, pick, type Random } from '../random';
import { lighten, pack, type Canvas, type Painter } from './canvas';
import { hex, mix, type Color } from './color';
import type { Stage } from './stage';

/** Number of discs of light, far and near. */
const DISCS = 26;

const LAMPS = [hex('#ffab4a'), hex('#ff7f33'), hex('#ffd083'), hex('#ff9a3d')] as const;

/** Color of the room's middle in the light of the lamps. */
const GLOW = hex('#a65a24');

interface Disc {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly light: number;
  readonly strength: number;
  readonly driftX: number;
  readonly driftY: number;
  readonly phase: number;
}

/** A close view: a dark room with lamps out of focus, which drift and pulse. */
export function closePainter({ width, height, mood, random }: Stage): Painter {
  const still = room(width, height, mood.palette.zenith, mood.palette.land);
  const cold = mix(mood.palette.sky, mood.palette.light, 0.3);
  const discs = Array.from({ length: DISCS }, (_, index) => disc(random, width, height, cold, index / DISCS));
  return (canvas, timeSeconds) => {
    canvas.pixels.set(still);
    for (const { x, y, radius, light, strength, driftX, driftY, phase } of discs) {
      const breath = 0.75 + 0.25 * Math.sin(phase + timeSeconds * 0.9);
      paintDisc(canvas, x + driftX * timeSeconds, y + driftY * timeSeconds, radius, light, strength * breath);
    }
  };
}

function disc(random: Random, width: number, height: number, cold: Color, near: number): Disc {
  return {
    // The lamps gather in the middle.
    x: width * (0.5 + between(random, -0.5, 0.5) * between(random, 0.4, 1.15)),
    y: height * (0.46 + between(random, -0.5, 0.5) * between(random, 0.3, 1)),
    radius: height * between(random, 0.03, 0.07) * (1 + 2.2 * near ** 2),
    light: pack(pick(random, ...LAMPS, ...LAMPS, cold)),
    strength: between(random, 90, 210) * (1 - 0.62 * near),
    driftX: width * 0.016 * (0.3 + near) * (random() < 0.85 ? 1 : -0.5),
    driftY: height * between(random, -0.012, 0.006),
    phase: random() * 6,
  };
}

/** A disc with a brighter rim, as a lens shows a point of light that is out of focus. */
function paintDisc(canvas: Canvas, x: number, y: number, radius: number, light: number, strength: number): void {
  const { width, height, pixels } = canvas;
  for (let row = Math.max(0, Math.floor(y - radius)); row <= Math.min(height - 1, y + radius); row += 1) {
    for (let column = Math.max(0, Math.floor(x - radius)); column <= Math.min(width - 1, x + radius); column += 1) {
      const out = Math.sqrt((column - x) ** 2 + (row - y) ** 2) / radius;
      if (out >= 1) continue;
      const edge = Math.min(1, (1 - out) * radius * 0.4);
      const index = row * width + column;
      pixels[index] = lighten(pixels[index] ?? 0, light, strength * edge * (0.62 + 0.38 * out ** 5));
    }
  }
}

function room(width: number, height: number, dark: Color, warm: Color): Uint32Array {
  const corner = mix(dark, [0, 0, 0], 0.5);
  const middle = mix(GLOW, warm, 0.25);
  return Uint32Array.from({ length: width * height }, (_, index) => {
    const x = (index % width) / width - 0.5;
    const y = Math.floor(index / width) / height - 0.47;
    const lit = Math.max(0, 1 - Math.sqrt(x * x + y * y) * 1.45);
    return pack(mix(corner, middle, lit * lit));
  });
}
