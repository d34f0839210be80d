import type { Random } from '../random';

/** Returns smooth random noise from −1 to 1, with bumps about `spacing` samples wide. */
export function smoothLine(random: Random, length: number, spacing: number): Float32Array {
  const knots = Float32Array.from({ length: Math.ceil(length / spacing) + 2 }, () => random() * 2 - 1);
  return Float32Array.from({ length }, (_, index) => {
    const position = index / spacing;
    const knot = Math.floor(position);
    return between(knots[knot] ?? 0, knots[knot + 1] ?? 0, ease(position - knot));
  });
}

/** Returns a sum of octaves of smooth noise. Each has half the width and 0.52 times the height of the one before. */
export function fractalLine(random: Random, length: number, spacing: number, octaves: number): Float32Array {
  const sum = new Float32Array(length);
  for (let octave = 0; octave < octaves; octave += 1) {
    const line = smoothLine(random, length, spacing / 2 ** octave);
    const height = 0.52 ** octave;
    for (let index = 0; index < length; index += 1) sum[index] = (sum[index] ?? 0) + (line[index] ?? 0) * height;
  }
  return sum;
}

/** Returns a random outline of mountain ridges from 0 to 1, sharp at the peaks and round in the valleys. */
export function ridgeLine(random: Random, length: number, spacing: number): Float32Array {
  const sum = new Float32Array(length);
  const heights = [0.5, 0.24, 0.13, 0.08, 0.05];
  for (const [octave, height] of heights.entries()) {
    const line = smoothLine(random, length, spacing / 2 ** octave);
    for (let index = 0; index < length; index += 1) {
      sum[index] = (sum[index] ?? 0) + height * (1 - Math.abs(line[index] ?? 0)) ** 1.6;
    }
  }
  return sum;
}

/** Smooth noise from 0 to 1 in two dimensions. The noise repeats every `period` cells in x, and every 64 cells in y. */
export type NoiseField = (x: number, y: number) => number;

export function noiseField(random: Random, period: number): NoiseField {
  const rows = 64;
  const knots = Float32Array.from({ length: period * rows }, () => random());
  const knot = (x: number, y: number) => knots[(y & (rows - 1)) * period + (((x % period) + period) % period)] ?? 0;
  return (x, y) => {
    const column = Math.floor(x);
    const row = Math.floor(y);
    const across = ease(x - column);
    return between(
      between(knot(column, row), knot(column + 1, row), across),
      between(knot(column, row + 1), knot(column + 1, row + 1), across),
      ease(y - row),
    );
  };
}

function between(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}

function ease(share: number): number {
  return share * share * (3 - 2 * share);
}
