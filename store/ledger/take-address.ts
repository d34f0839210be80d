import { numbersOf } from '../records';

/** The folders of takes, and the names of their records. */

export interface ShotAddress {
  readonly productionId: string;
  readonly shotId: string;
}

/** Identifies a take, and the folder of its records. */
export interface TakeAddress extends ShotAddress {
  readonly take: number;
}

/** Folder of the ledger's productions. */
export const LEDGER = 'ledger';

export function isSameTake(a: TakeAddress, b: TakeAddress): boolean {
  return a.productionId === b.productionId && a.shotId === b.shotId && a.take === b.take;
}

export function shotFolder({ productionId, shotId }: ShotAddress): string {
  return `${LEDGER}/${productionId}/${shotId}`;
}

export function takeFolder(address: TakeAddress): string {
  return `${shotFolder(address)}/${address.take}`;
}

/** The numbers of a shot's takes, ascending, from the names in its folder. */
export function takeNumbers(names: readonly string[]): readonly number[] {
  return names
    .filter((name) => /^[1-9]\d*$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** Records of one sending. Each of them proves that the sending began, even if the others are lost. */
const SENDING_RECORDS = ['sent', 'answered', 'accepted', 'refused', 'unclear', 'also-accepted'] as const;

/** Names of a take's records. Any other name in its folder is foreign. */
export const TAKE_RECORD = new RegExp(
  `^(?:intent|settled|output|(?:${SENDING_RECORDS.join('|')}|decision|pruned)-\\d+)$`,
);

/** The numbers of a take's sendings, ascending, from the names of its records. */
export function sendingNumbers(names: readonly string[]): readonly number[] {
  const numbers = new Set(SENDING_RECORDS.flatMap((kind) => numbersOf(names, kind)));
  return [...numbers].sort((a, b) => a - b);
}
