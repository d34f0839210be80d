import { createHash } from 'node:crypto';

/** What a batch asks for as a whole: equal for the same rows, whatever their order. */
export interface RowContent {
  add(row: { readonly key: string; readonly digest: string }): void;
  /** Hexadecimal. */
  hash(): string;
}

const BITS = 256;

/** The sum of a hash of each row, so that nothing has to be kept and sorted; keys stand once. */
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
