import { between, type Random } from '../random';
import type { Place } from './mood';
import { fractalLine, ridgeLine, smoothLine } from './noise';

/**
 * Returns the outline of a layer of land against the sky: for each of `length` columns, the height in pixels above
 * the layer's foot. `height` is the picture's height; `nearness` ranges from 0 (far) to 1.
 */
export function landProfile(
  place: Place,
  random: Random,
  length: number,
  height: number,
  nearness: number,
): Float32Array {
  const spacing = height * (0.5 + 0.5 * nearness);
  switch (place) {
    case 'hills':
      return fractalLine(random, length, spacing * 1.3, 3).map((value) => height * (0.09 + 0.09 * value));
    case 'dunes':
      return fractalLine(random, length, spacing * 1.7, 2).map((value) => height * (0.16 - 0.14 * Math.abs(value)));
    case 'peaks':
      return ridgeLine(random, length, spacing * 0.8).map(
        (value) => height * (0.5 - 0.3 * nearness) * (value ** 2 * 1.25 - 0.2),
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
    case 'close':
      return new Float32Array(length);
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
      // Branches: the outline of a fir steps outwards towards the ground.
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
    const hasMast = random() < 0.2;
    if (hasMast) line.fill(blockHeight * 1.2, x + Math.round(blockWidth * 0.47), x + Math.round(blockWidth * 0.53));
    x += blockWidth + Math.round(random() * 3);
  }
  return line;
}
