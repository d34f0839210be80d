import { createHash } from 'node:crypto';

/** A hash of all rows of a batch, independent of their order. */
export interface RowContent {
  add(row: { readonly key: string; readonly digest: string }): void;
  /** Hexadecimal. */
  hash(): string;
}

const BITS = 256;

/** Adds up the rows' hashes, so that rows need not be kept in memory and sorted. Each key must occur once. */
export function openRowContent(): RowContent {
  let sum = 0n;
  return {
    add({ key, digest }) {
      const hash = createHash('sha256').update(`${key} ${digest}`).digest('hex');
      sum = BigInt.asUintN(BITS, sum + BigInt(`0x${hash}`));
    },
    hash: () => sum.toString(16).padStart(BITS / 4, '0'),
  };
}
