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
  /** `unchecked` if the numbers of the file system's files do not last; `unmarked` until a store is first opened. */
  readonly place: 'own' | 'copy' | 'unmarked' | 'unchecked';
  /** When and where the store was marked. */
  readonly marked: { readonly folder: string; readonly host: string; readonly at: string } | null;
}

export interface TakenOver {
  readonly id: string;
  /** Takes that may have been sent since the copy was made: unclear now. */
  readonly held: number;
  /** When the copy was made, or else when the original was marked. ISO 8601. */
  readonly copiedAt: string;
}

/** What a folder holds, and whether that is a copy. @throws StoreError if it holds something else than a store. */
export async function storeStanding(folder: string): Promise<StoreStanding> {
  const records = createFolderRecords(folder);
  const id = (await storeIdOf(records, folder)) ?? null;
  const mark = await markedPlace(records);
  const marked = mark === undefined ? null : { folder: mark.folder, host: mark.host, at: mark.at };
  if (id !== null && (await placeOf(folder)) === undefined) return { id, place: 'unchecked', marked };
  if (mark === undefined) return { id, place: 'unmarked', marked };
  return { id, place: (await movedPlace(records, folder)) === undefined ? 'own' : 'copy', marked };
}

/** Says that a store is a copy, and what to do about it; undefined if it is none, as far as can be told. */
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

/** For whoever begins or changes what is paid for. @throws StoreError if the store in the folder is a copy. */
export async function refuseCopy(folder: string): Promise<void> {
  const words = await copyInWords(folder);
  if (words !== undefined) throw new StoreError(words);
}

/**
 * Takes a copy over as the store that it was, whose original is gone. Whatever may have been sent since the copy was made
 * waits for a person, as after a restore.
 *
 * @param isStale whether the ledger is known to lack takes: then it is a copy, wherever it lies.
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
 * Makes a copy a store of its own, with another id. The original goes on: takes that the copy does not know to be accepted
 * wait for a person; what is wanted from now on, the copy pays for by itself.
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
  // A clone of a disk does not tell when it was made: everything since the mark may be missing.
  const backupAt = moved === undefined ? ((await markedPlace(records))?.at ?? at) : copiedAt(moved);
  const gap = { name: at.replaceAll(':', '-'), backupAt, restoredAt: at, copy: true };
  await records.create(`${RESTORED}/${gap.name}/begun`, gap);
  return gap;
}

/** Marks the place last: until then nothing is sent, and the same command can be run again. */
async function endTakeOver(records: Records, folder: string): Promise<void> {
  for (const name of await records.list(RESTORED)) {
    // A restore that was interrupted in the original is not done by this.
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
