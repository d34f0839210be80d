import { createHash } from 'node:crypto';

/** Returns the next random number, from 0 up to but not including 1. */
export type Random = () => number;

/** Makes a generator (mulberry32) that gives the same numbers for the same words in every process. */
export function seededRandom(...words: readonly (string | number)[]): Random {
  let state = createHash('sha256').update(words.join('\n')).digest().readUInt32LE(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A random number from `low` up to but not including `high`. */
export function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random();
}

export function pick<T>(random: Random, first: T, ...others: readonly T[]): T {
  return others[Math.floor(random() * (others.length + 1)) - 1] ?? first;
}
