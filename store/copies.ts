import { createLedger } from './ledger';
import { markedPlace, markPlace, movedPlace, type MovedPlace, placeOf } from './place';
import { createFolderRecords, type Records } from './records';
import { holdAll } from './restore';
import { RESTORED, RestoredGap } from './restored';
import { renameStore, StoreError, storeIdOf } from './store';

/**
 * Copies of a store: two ledgers with one id, of which each pays for what the other has sent.
 *
 * The rules and their reasons are in docs/decisions/0034-store-copies.md.
 */

export interface StoreStanding {
  /** Null if there is no store in the folder. */
  readonly id: string | null;
  /** `unchecked` if the file system's inodes do not last; `unmarked` until a store is first opened. */
  readonly place: 'own' | 'copy' | 'unmarked' | 'unchecked';
  /** When and where the store was marked. */
  readonly marked: { readonly folder: string; readonly host: string; readonly at: string } | null;
}

export interface TakenOver {
  readonly id: string;
  /** Number of takes that may have been sent since the copy was made. They are unclear now. */
  readonly held: number;
  /** When the copy was made, ISO 8601. If that is unknown, when the original was marked. */
  readonly copiedAt: string;
}

/** Tells what a folder holds, and whether it is a copy. @throws StoreError if it holds something else than a store. */
export async function storeStanding(folder: string): Promise<StoreStanding> {
  const records = createFolderRecords(folder);
  const id = (await storeIdOf(records, folder)) ?? null;
  const mark = await markedPlace(records);
  const marked = mark === undefined ? null : { folder: mark.folder, host: mark.host, at: mark.at };
  if (id !== null && (await placeOf(folder)) === undefined) return { id, place: 'unchecked', marked };
  if (mark === undefined) return { id, place: 'unmarked', marked };
  return { id, place: (await movedPlace(records, folder)) === undefined ? 'own' : 'copy', marked };
}

/** Says that a store is a copy, and what to do about it. Undefined if it is not known to be one. */
export async function copyInWords(folder: string): Promise<string | undefined> {
  const moved = await movedPlace(createFolderRecords(folder), folder);
  if (moved === undefined) return undefined;
  const { folder: original, host, at } = moved.marked;
  return (
    `The store in ${folder} is a copy: its store.json is another file than the one that was marked on ${at} ` +
    `in ${original} on ${host}. Two copies are two ledgers, and each pays for what the other has sent. ` +
    'If the original still exists, work there. If the store was moved here and the original is gone, type: ' +
    'dailies store --moved. If this is to be a store of its own, type: dailies store --adopt-copy'
  );
}

/**
 * Refuses a copy, before anything that is paid for is begun or changed. @throws StoreError if the store in the folder
 * is a copy.
 */
export async function refuseCopy(folder: string): Promise<void> {
  const words = await copyInWords(folder);
  if (words !== undefined) throw new StoreError(words);
}

/**
 * Takes a copy over as the store that it was. The original is gone. Whatever may have been sent since the copy was made
 * waits for a person, as after a restore.
 *
 * @param isStale true if the ledger is known to lack takes: then it counts as a copy, wherever it is.
 * @throws StoreError if it is no copy.
 */
export async function takeOverMoved(folder: string, isStale = false): Promise<TakenOver> {
  const records = createFolderRecords(folder);
  const gap = await beginTakeOver(records, folder, isStale);
  const held = await holdAll(records, createLedger(records), gap);
  await endTakeOver(records, folder);
  return { id: await idOf(records, folder), held, copiedAt: gap.backupAt };
}

/**
 * Makes a copy a store of its own, with a new id, while the original stays in use. Takes that were open at the copy
 * wait for a person. The copy pays for everything else itself.
 *
 * @param isStale as for `takeOverMoved`.
 * @throws StoreError if it is no copy.
 */
export async function adoptCopy(folder: string, isStale = false): Promise<TakenOver> {
  const records = createFolderRecords(folder);
  const gap = await beginTakeOver(records, folder, isStale);
  const held = await holdAll(records, createLedger(records), gap);
  await records.create(`${RESTORED}/${gap.name}/cleared`, { at: gap.restoredAt });
  const id = await renameStore(records, folder);
  await endTakeOver(records, folder);
  return { id, held, copiedAt: gap.backupAt };
}

async function beginTakeOver(records: Records, folder: string, isStale: boolean): Promise<RestoredGap> {
  const moved = await movedPlace(records, folder);
  if (moved === undefined && !isStale) throw new StoreError(`the store in ${folder} is no copy, as far as can be told`);
  const at = new Date().toISOString();
  // A cloned disk does not show when it was made: everything since the mark may be missing.
  const backupAt = moved === undefined ? ((await markedPlace(records))?.at ?? at) : copiedAt(moved);
  const gap = { name: at.replaceAll(':', '-'), backupAt, restoredAt: at, copy: true };
  await records.create(`${RESTORED}/${gap.name}/begun`, gap);
  return gap;
}

/** Marks the place last. Until then nothing is sent, and the same command can be run again. */
async function endTakeOver(records: Records, folder: string): Promise<void> {
  for (const name of await records.list(RESTORED)) {
    // This does not complete a restore that was interrupted in the original.
    const { copy } = RestoredGap.parse(await records.read(`${RESTORED}/${name}/begun`));
    if (copy === true) await records.create(`${RESTORED}/${name}/done`, { at: new Date().toISOString() });
  }
  await markPlace(records, folder);
}

function copiedAt({ marked, found }: MovedPlace): string {
  return found.born === null ? marked.at : new Date(Number(BigInt(found.born) / 1_000_000n)).toISOString();
}

async function idOf(records: Records, folder: string): Promise<string> {
  const id = await storeIdOf(records, folder);
  if (id === undefined) throw new StoreError(`${folder} holds no store`);
  return id;
}
