import { createHash } from 'node:crypto';

/** Draws the next number, at least 0 and below 1. */
export type Random = () => number;

/** Makes a generator that draws the same numbers for the same words in every process (mulberry32). */
export function seededRandom(...words: readonly (string | number)[]): Random {
  let state = createHash('sha256').update(words.join('\n')).digest().readUInt32LE(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Draws a number from `low` up to `high`. */
export function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random();
}

/** Draws one of several. */
export function pick<T>(random: Random, first: T, ...others: readonly T[]): T {
  return others[Math.floor(random() * (others.length + 1)) - 1] ?? first;
}
