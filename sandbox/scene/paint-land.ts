import { between, type Random } from '../random';
import { blend, pack, type Painter } from './canvas';
import { mix } from './color';
import type { Place } from './mood';
import { fractalLine, smoothLine } from './noise';
import type { Stage } from './stage';

interface Layer {
  /** 0 is the farthest, 1 the nearest. */
  readonly nearness: number;
  /** Heights above the layer's foot in pixels, for every position that passes. */
  readonly profile: Float32Array;
  readonly footY: number;
  /** A packed color for each row: mist gathers towards the foot. */
  readonly rows: Uint32Array;
}

/** Layered land that passes at different speeds, the farther the hazier. */
export function landPainter(stage: Stage): Painter {
  const { width, height, panSpeed, rise, durationSeconds, random, mood } = stage;
  const travel = Math.ceil(Math.abs(panSpeed) * durationSeconds) + 2;
  const count = mood.place === 'sea' ? 2 : 5;
  const layers = Array.from({ length: count }, (_, index) => layer(stage, random, (index + 1) / count, width + travel));
  const tops = new Float32Array(count + 1).fill(height);

  return ({ pixels }, timeSeconds) => {
    const done = timeSeconds / durationSeconds;
    for (let x = 0; x < width; x += 1) {
      for (let index = 0; index < count; index += 1) tops[index] = topAt(layers[index], x, timeSeconds, done);
      for (let index = 0; index < count; index += 1) paintColumn(pixels, layers[index], x, index);
    }
  };

  function topAt(land: Layer | undefined, x: number, timeSeconds: number, done: number): number {
    if (!land) return height;
    const { nearness, profile, footY } = land;
    const passed = panSpeed * nearness ** 1.5 * timeSeconds;
    const position = x + (panSpeed < 0 ? travel - 2 + passed : passed);
    const left = Math.floor(position);
    const from = profile[left] ?? 0;
    const to = profile[left + 1] ?? from;
    return footY - (from + (to - from) * (position - left)) + rise * nearness * done;
  }

  function paintColumn(pixels: Uint32Array, land: Layer | undefined, x: number, index: number): void {
    if (!land) return;
    const top = Math.max(0, tops[index] ?? height);
    let end = mood.place === 'sea' ? Math.min(height, Math.ceil(stage.horizonY) + 1) : height;
    // What nearer layers hide is not painted.
    for (let nearer = index + 1; nearer < count; nearer += 1) end = Math.min(end, Math.ceil(tops[nearer] ?? end) + 1);
    const first = Math.floor(top);
    if (first >= end) return;
    const edge = first * width + x;
    pixels[edge] = blend(pixels[edge] ?? 0, land.rows[first] ?? 0, 256 * (1 - (top - first)));
    for (let y = first + 1; y < end; y += 1) pixels[y * width + x] = land.rows[y] ?? 0;
  }
}

function layer(stage: Stage, random: Random, nearness: number, length: number): Layer {
  const { height, horizonY, mood } = stage;
  const { palette, place, time } = mood;
  const isSea = place === 'sea';
  const footY = isSea ? horizonY : horizonY + (height - horizonY) * nearness * 0.72;
  const far = mix(palette.horizon, palette.sky, 0.35);
  const color = mix(far, palette.land, 0.18 + 0.82 * nearness ** (time === 'fog' ? 2.2 : 1.1));
  const mist = mix(color, palette.horizon, time === 'fog' ? 0.75 : 0.45 * (1.15 - nearness));
  const reach = height * 0.34;
  return {
    nearness,
    footY,
    profile: profile(place, random, length, height, nearness),
    rows: Uint32Array.from({ length: height }, (_, y) => {
      const down = Math.min(1, Math.max(0, (y - (footY - reach * 0.6)) / reach));
      return pack(mix(color, mist, down ** 1.5));
    }),
  };
}

/** The outline of a layer: how its kind of land looks against the sky. */
function profile(place: Place, random: Random, length: number, height: number, nearness: number): Float32Array {
  const spacing = height * (0.5 + 0.5 * nearness);
  switch (place) {
    case 'hills':
      return fractalLine(random, length, spacing * 1.3, 3).map((value) => height * (0.09 + 0.09 * value));
    case 'dunes':
      return fractalLine(random, length, spacing * 1.7, 2).map(
        (value) => height * (0.07 + 0.08 * (1 - Math.abs(value) * 1.6)),
      );
    case 'peaks':
      return fractalLine(random, length, spacing, 6).map(
        (value) => height * (0.34 - 0.24 * nearness) * Math.max(0, 1.05 - Math.abs(value) * 1.35),
      );
    case 'forest':
      return trees(random, length, height, nearness);
    case 'city':
      return blocks(random, length, height, nearness);
    case 'sea':
      return smoothLine(random, length, spacing * 1.4).map((value, index) => {
        const rough = Math.sin(index * 0.11) * 0.004 + Math.sin(index * 0.031) * 0.01;
        return height * (0.16 * nearness * (value - 0.25) + rough * Math.max(0, value));
      });
  }
}

function trees(random: Random, length: number, height: number, nearness: number): Float32Array {
  const ground = fractalLine(random, length, height * 0.8, 2).map((value) => height * (0.05 + 0.05 * value));
  const treeHeight = height * (0.04 + 0.16 * nearness ** 1.5);
  for (let x = -treeHeight; x < length + treeHeight; x += treeHeight * between(random, 0.14, 0.34)) {
    const tall = treeHeight * between(random, 0.55, 1.15);
    const half = tall * 0.24;
    const foot = ground[Math.max(0, Math.min(length - 1, Math.round(x)))] ?? 0;
    for (let at = Math.max(0, Math.ceil(x - half)); at <= Math.min(length - 1, x + half); at += 1) {
      const up = 1 - Math.abs(at - x) / half;
      // Branches: the outline of a fir steps outwards on its way down.
      const crown = foot * 0.9 + tall * (up ** 1.25 + 0.05 * ((up * 6) % 1));
      ground[at] = Math.max(ground[at] ?? 0, crown);
    }
  }
  return ground;
}

function blocks(random: Random, length: number, height: number, nearness: number): Float32Array {
  const line = new Float32Array(length);
  for (let x = 0; x < length;) {
    const blockWidth = Math.round(height * between(random, 0.05, 0.12) * (0.6 + 0.7 * nearness));
    const blockHeight = height * between(random, 0.06, 0.36) * (1.15 - 0.65 * nearness);
    line.fill(blockHeight, x, x + blockWidth);
    if (random() < 0.25)
      line.fill(blockHeight * 1.25, x + Math.round(blockWidth * 0.45), x + Math.round(blockWidth * 0.55));
    x += blockWidth + Math.round(random() * 3);
  }
  return line;
}
