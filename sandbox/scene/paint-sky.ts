import { between } from '../random';
import { blend, glowSpot, pack, type Canvas, type Painter } from './canvas';
import { mix, type Color } from './color';
import { noiseField } from './noise';
import type { Stage } from './stage';

/** Scale of the glow around the sun or the moon, in radii of its disc. At this distance a fifth of the glow is left. */
const GLOW_RADII = 7;

/** The sky with its glow. Everything else is painted over it. */
export function skyPainter(stage: Stage): Painter {
  const still = stillSky(stage);
  return ({ pixels }) => {
    pixels.set(still);
  };
}

/** The sun or the moon: a soft-edged disc that hardly moves. Fog dims it, and a storm hides it. */
export function lightPainter({ light, mood }: Stage): Painter {
  if (mood.time === 'storm') return () => undefined;
  const color = pack(mood.palette.light);
  const strength = mood.time === 'fog' ? 110 : 256;
  return (canvas, timeSeconds) => {
    disc(canvas, light.x, light.y - timeSeconds * light.radius * 0.02, light.radius, color, strength);
  };
}

/** Stars at night, which twinkle independently. */
export function starPainter({ width, horizonY, mood, random }: Stage): Painter {
  if (mood.time !== 'night') return () => undefined;
  const color = pack(mood.palette.light);
  const stars = Array.from({ length: Math.round((width * horizonY) / 900) }, () => ({
    x: random() * width,
    y: horizonY * random() ** 1.4,
    radius: between(random, 0.7, 1.5),
    strength: between(random, 60, 240),
    phase: random() * 6,
    speed: between(random, 0.8, 2.6),
  }));
  return (canvas, timeSeconds) => {
    for (const { x, y, radius, strength, phase, speed } of stars) {
      glowSpot(canvas, x, y, radius, color, strength * (0.7 + 0.3 * Math.sin(phase + speed * timeSeconds)));
    }
  };
}

/** Drifting clouds, closer together and flatter towards the horizon. */
export function cloudPainter(stage: Stage): Painter {
  const { width, mood, random } = stage;
  const bottom = Math.ceil(stage.horizonY);
  const loop = Math.round(width * 1.5);
  const cover = cloudCover(stage, loop, bottom);
  const color = pack(mood.palette.cloud);
  const speed = width * between(random, 0.012, 0.024) * Math.sign(stage.panSpeed);
  const start = random() * loop;

  return ({ pixels }, timeSeconds) => {
    const offset = (((start + speed * timeSeconds) % loop) + loop) % loop;
    const column = Math.floor(offset);
    const fraction = offset - column;
    for (let y = 0; y < bottom; y += 1) {
      const row = y * loop;
      for (let x = 0; x < width; x += 1) {
        const left = cover[row + ((column + x) % loop)] ?? 0;
        const right = cover[row + ((column + x + 1) % loop)] ?? 0;
        const here = left + (right - left) * fraction;
        if (here < 1) continue;
        const index = y * width + x;
        pixels[index] = blend(pixels[index] ?? 0, color, here);
      }
    }
  };
}

function stillSky({ width, height, horizonY, light, mood, random }: Stage): Uint32Array {
  const { palette, time } = mood;
  const pixels = new Uint32Array(width * height);
  const glow = time === 'day' ? 0.45 : time === 'fog' || time === 'storm' ? 0.2 : 0.6;
  for (let y = 0; y < height; y += 1) {
    const down = Math.min(1, y / horizonY);
    const color =
      down < 0.55
        ? mix(palette.zenith, palette.sky, down / 0.55)
        : mix(palette.sky, palette.horizon, (down - 0.55) / 0.45);
    for (let x = 0; x < width; x += 1) {
      const distance = Math.hypot(x - light.x, (y - light.y) * 1.3) / (light.radius * GLOW_RADII);
      pixels[y * width + x] = pack(dithered(mix(color, palette.light, glow * Math.exp(-distance * 1.6)), random()));
    }
  }
  return pixels;
}

/** Makes `pack` round up or down at random, so that slow gradients show no bands. */
function dithered([red, green, blue]: Color, chance: number): Color {
  return [Math.min(255, red + chance), Math.min(255, green + chance), Math.min(255, blue + chance)];
}

function disc(canvas: Canvas, x: number, y: number, radius: number, color: number, strength: number): void {
  const { width, height, pixels } = canvas;
  for (let row = Math.max(0, Math.floor(y - radius - 1)); row <= Math.min(height - 1, y + radius + 1); row += 1) {
    for (
      let column = Math.max(0, Math.floor(x - radius - 1));
      column <= Math.min(width - 1, x + radius + 1);
      column += 1
    ) {
      const inside = Math.min(1, (radius - Math.hypot(column - x, row - y)) / 2 + 0.5);
      if (inside <= 0) continue;
      const index = row * width + column;
      pixels[index] = blend(pixels[index] ?? 0, color, strength * inside);
    }
  }
  glowSpot(canvas, x, y, radius * 2.6, color, strength * 0.28);
}

function cloudCover({ mood, random, horizonY }: Stage, loop: number, rows: number): Uint8Array {
  const amount = { clear: 0.5, rain: 0.72, snow: 0.62, embers: 0.5, fireflies: 0.45 }[mood.weather];
  const cells = 9;
  const octaves = [1, 2, 4, 8].map((times) => ({
    times,
    field: noiseField(random, cells * times),
    height: 0.55 ** Math.log2(times),
  }));
  const total = octaves.reduce((sum, { height }) => sum + height, 0);
  const cover = new Uint8Array(loop * rows);
  for (let y = 0; y < rows; y += 1) {
    // Seen from below, a layer of cloud shrinks with the distance from the zenith.
    const depth = 1 / (1.12 - y / horizonY);
    const edge = Math.min(1, (rows - y) / (rows * 0.18));
    for (let x = 0; x < loop; x += 1) {
      const across = (x / loop) * cells;
      let sum = 0;
      for (const { times, field, height } of octaves)
        sum += field(across * times, depth * 2.2 * times + times * 17) * height;
      const density = Math.min(1, Math.max(0, (sum / total - (1 - amount)) * 3.2));
      cover[y * loop + x] = density * edge * 190;
    }
  }
  return cover;
}
