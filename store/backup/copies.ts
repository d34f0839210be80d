import { createLedger } from '../ledger/ledger';
import { describeCopy, markedPlace, markPlace, movedPlace, type MovedPlace, placeOf } from './place';
import { createFolderRecords, type Records } from '../records';
import { holdAll } from './restore';
import { RESTORED, type RestoredGap, unfinishedGaps } from './restored';
import { requireStoreId, replaceStoreId, StoreError, storeIdOf } from '../store';

/**
 * A store and its copy are two ledgers with the same id. Each lacks the takes that only the other has sent, and would
 * pay for them again.
 *
 * The rules and their reasons are in docs/decisions/0034-store-copies.md.
 */

/** The store in a folder, and whether it is a copy. */
export interface StoreStatus {
  /** Null if there is no store in the folder. */
  readonly id: string | null;
  /** `unmarked`: no readable record of its place. `unchecked`: inodes do not identify files on this system. */
  readonly place: 'own' | 'copy' | 'unmarked' | 'unchecked';
  /** Where and when the store's place was recorded. */
  readonly marked: { readonly folder: string; readonly host: string; readonly at: string } | null;
}

/** The result of taking over a copy. */
export interface TakenOver {
  readonly id: string;
  /** Number of takes that became unclear, since they may have been sent after the copy was made. */
  readonly held: number;
  /** When the copy was made, else when the store's place was recorded, else when the takeover began. ISO 8601. */
  readonly copiedAt: string;
}

/** Describes the store in a folder. @throws the errors of `storeIdOf`. */
export async function storeStatus(folder: string): Promise<StoreStatus> {
  const records = createFolderRecords(folder);
  const id = (await storeIdOf(folder)) ?? null;
  const mark = await markedPlace(records);
  const marked = mark === undefined ? null : { folder: mark.folder, host: mark.host, at: mark.at };
  if (id !== null && (await placeOf(folder)) === undefined) return { id, place: 'unchecked', marked };
  if (mark === undefined) return { id, place: 'unmarked', marked };
  return { id, place: (await movedPlace(records, folder)) === undefined ? 'own' : 'copy', marked };
}

/** The message for a person if the store in a folder is a copy; undefined otherwise. */
export function copyInWords(folder: string): Promise<string | undefined> {
  return describeCopy(createFolderRecords(folder), folder);
}

/**
 * Throws if the store in a folder is a copy, as `Store.refuseCopy` does for an open store.
 *
 * @throws StoreError
 */
export async function refuseCopy(folder: string): Promise<void> {
  const words = await copyInWords(folder);
  if (words !== undefined) throw new StoreError(words);
}

/**
 * Continues a copy as the original store, which must be gone. Takes that may have been sent since the copy was made
 * wait for a person, as after a restore.
 *
 * @param isStale true if the ledger is known to lack takes. Then the store counts as a copy even at its recorded place.
 * @throws StoreError if the store is not a copy.
 */
export async function takeOverMoved(folder: string, isStale = false): Promise<TakenOver> {
  const records = createFolderRecords(folder);
  const gap = await beginTakeOver(records, folder, isStale);
  const held = await holdAll(records, createLedger(records), gap);
  await endTakeOver(records, folder);
  return { id: await requireStoreId(folder), held, copiedAt: gap.backupAt };
}

/**
 * Makes a copy a separate store with a new id, while the original stays in use. Takes that may have been sent since the
 * copy was made wait for a person. The copy sends and pays for all other takes independently of the original.
 *
 * @param isStale as for `takeOverMoved`.
 * @throws StoreError if the store is not a copy.
 */
export async function adoptCopy(folder: string, isStale = false): Promise<TakenOver> {
  const records = createFolderRecords(folder);
  const gap = await beginTakeOver(records, folder, isStale);
  const held = await holdAll(records, createLedger(records), gap);
  for (const { name, restoredAt } of await openTakeOvers(records)) {
    // A takeover that was interrupted in the original, before the copy was made, is not cleared.
    if (Date.parse(restoredAt) < Date.parse(gap.backupAt)) continue;
    await records.create(`${RESTORED}/${name}/cleared`, { at: gap.restoredAt });
  }
  const id = await replaceStoreId(records, folder);
  await endTakeOver(records, folder);
  return { id, held, copiedAt: gap.backupAt };
}

async function beginTakeOver(records: Records, folder: string, isStale: boolean): Promise<RestoredGap> {
  const moved = await movedPlace(records, folder);
  if (moved === undefined && !isStale) throw new StoreError(`the store in ${folder} is not known to be a copy`);
  const at = new Date().toISOString();
  // A stale store at its recorded place may be on a cloned disk. The clone may be as old as the record of the place.
  const backupAt = moved === undefined ? ((await markedPlace(records))?.at ?? at) : copiedAt(moved);
  const gap = { name: at.replaceAll(':', '-'), backupAt, restoredAt: at, copy: true };
  await records.create(`${RESTORED}/${gap.name}/begun`, gap);
  return gap;
}

/**
 * Records the place last: until then, nothing is sent, and the command can be repeated after an interruption.
 */
async function endTakeOver(records: Records, folder: string): Promise<void> {
  for (const { name } of await openTakeOvers(records)) {
    await records.create(`${RESTORED}/${name}/done`, { at: new Date().toISOString() });
  }
  await markPlace(records, folder);
}

/** The takeovers that have not ended: the current one and interrupted ones. Leaves out restores. */
async function openTakeOvers(records: Records): Promise<readonly RestoredGap[]> {
  return (await unfinishedGaps(records)).filter(({ copy }) => copy === true);
}

function copiedAt({ marked, actual }: MovedPlace): string {
  return actual.born === null ? marked.at : new Date(Number(BigInt(actual.born) / 1_000_000n)).toISOString();
}
