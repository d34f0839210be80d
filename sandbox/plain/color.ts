import { createHash } from 'node:crypto';
import { between, seededRandom } from '../random';
import type { Color } from '../scene/color';

/** A color derived from the given words: the same in every process, and never close to black or white. */
export function colorOf(...words: readonly (string | number)[]): Color {
  const random = seededRandom('plain', ...words);
  const channel = () => Math.floor(between(random, 32, 224));
  return [channel(), channel(), channel()];
}

/** Luma (16 to 235) and two chroma values (16 to 240) of a color, not rounded. Source: ITU-R BT.709. */
export function toYuv(red: number, green: number, blue: number): readonly [number, number, number] {
  const luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const chroma = (difference: number, range: number) => 128 + ((difference / range) * 224) / 255;
  return [16 + (luma * 219) / 255, chroma(blue - luma, 1.8556), chroma(red - luma, 1.5748)];
}

/** A hash of the given words. It distinguishes pictures that happen to have the same color. */
export function hashOf(...words: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(words)).digest('hex');
}
