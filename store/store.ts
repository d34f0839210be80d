import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { accessInWords, deniesAccess } from './disk/access';
import { errorCode, ifPresent, lacksHardLinks, tryHardLink } from './disk/durable-file';
import { type DiskSpace, diskSpace } from './disk/disk-space';
import { removeOthersAccess } from './disk/modes';
import { FolderAssets } from './folder-assets';
import { LEDGER } from './ledger/take-address';
import { createStoreParts, type StoreParts } from './parts';
import { describeCopy, markNewPlace } from './backup/place';
import { createFolderRecords, type Records } from './records';

/** Version of the folder's layout. Stores with a later version are refused. */
export const STORE_FORMAT = 1;

/** The assets, ledger and records of all productions of one or more gateway accounts. */
export interface Store extends StoreParts {
  readonly id: string;
  /** The store's location, for messages. */
  readonly name: string;
  /** Checks the free space. @param neededBytes Default: 1 GiB. */
  space(neededBytes?: number): Promise<DiskSpace>;
  /**
   * Throws if this store is a copy of another. Callers check this before they begin or change paid work.
   *
   * @throws StoreError
   */
  refuseCopy(): Promise<void>;
}

/** A store in a folder of this machine. */
export interface FolderStore extends Store {
  /** Absolute. */
  readonly folder: string;
}

/** A store that is only read. A missing store reads as empty. */
export type StoreView = Omit<StoreParts, 'putJson'>;

/** The folder has no usable store, for example because this user may not write there or because the store is a copy. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

export const STORE_ID = /^[0-9a-f]{12}$/;

const StoreIdentity = z.looseObject({ format: z.int(), id: z.string().regex(STORE_ID) });

/**
 * Opens the store in a folder, or creates one.
 *
 * @param newId id of a new store. Default: random.
 * @throws StoreError; UnreadableRecord if `store.json` is not JSON.
 */
export async function openStore(folder: string, newId = newStoreId()): Promise<FolderStore> {
  const records = createFolderRecords(folder);
  await removeOthersAccess(folder);
  const { id } = await identity(records, folder, newId).catch(async (error: unknown) => {
    const code = errorCode(error);
    if (code === undefined) throw error;
    if (deniesAccess(error)) return refuseAccess(folder);
    const why = lacksHardLinks(error) ? `its file system has no hard links: ${code}` : code;
    throw new StoreError(
      (await holdsStore(folder))
        ? `${folder} cannot be used (${why}). ${OTHER_LEDGER}`
        : `${folder} cannot hold a store (${why}); set DAILIES_STORE to another folder`,
    );
  });
  await markNewPlace(records, folder);
  return {
    ...createStoreParts({ records, assets: new FolderAssets(folder), scratch: folder }),
    ...{ id, folder, name: folder },
    space: (neededBytes) => diskSpace(folder, neededBytes),
    async refuseCopy() {
      const words = await describeCopy(records, folder);
      if (words !== undefined) throw new StoreError(words);
    },
  };
}

/**
 * Opens the store in a folder for reading. A missing store reads as empty, and is not created.
 *
 * @throws StoreError; UnreadableRecord if `store.json` cannot be read or is not JSON.
 */
export async function viewStore(folder: string): Promise<StoreView> {
  const records = createFolderRecords(folder);
  const present = await records.read('store');
  if (present !== undefined) checkIdentity(present, folder);
  return createStoreParts({ records, assets: new FolderAssets(folder), scratch: folder });
}

const OTHER_LEDGER =
  'Another folder would have another ledger, and Dailies would pay again for the takes in this store';

/** @throws StoreError always. It suggests another folder only if this one has no store. */
async function refuseAccess(folder: string): Promise<never> {
  const hasStore = await holdsStore(folder);
  const why = await accessInWords(identityFile(folder));
  throw new StoreError(
    hasStore
      ? `${folder} cannot be used by this user: ${why}. ${OTHER_LEDGER}`
      : `${folder} cannot hold a store, since this user may not write there: ${why}; or set DAILIES_STORE to another folder`,
  );
}

/** True if the folder has an identity or a ledger. Also true if this cannot be checked. */
async function holdsStore(folder: string): Promise<boolean> {
  return (await mayExist(identityFile(folder))) || mayExist(join(folder, LEDGER));
}

async function mayExist(path: string): Promise<boolean> {
  return (await ifPresent(stat(path)).catch(() => null)) !== undefined;
}

function identityFile(folder: string): string {
  return join(folder, 'store.json');
}

async function identity(records: Records, folder: string, newId: string): Promise<z.infer<typeof StoreIdentity>> {
  const present = await records.read('store');
  // The store may have been moved to a file system without hard links, on which no record can be created exclusively.
  if (present !== undefined) await tryHardLink(folder);
  if (present === undefined) {
    await records.create('store', { format: STORE_FORMAT, id: newId });
    return identity(records, folder, newId);
  }
  return checkIdentity(present, folder);
}

function newStoreId(): string {
  return randomBytes(6).toString('hex');
}

/** Gives a store a new id, which also changes its task queues and workflow ids. @returns the new id. */
export async function replaceStoreId(records: Records, folder: string): Promise<string> {
  const identity = checkIdentity(await records.read('store'), folder);
  const id = newStoreId();
  await records.replace('store', { ...identity, id });
  return id;
}

/** The id of a store; undefined if the folder has none. @throws StoreError, UnreadableRecord */
export async function storeIdOf(folder: string): Promise<string | undefined> {
  const present = await createFolderRecords(folder).read('store');
  return present === undefined ? undefined : checkIdentity(present, folder).id;
}

/** The id of the store in a folder. @throws StoreError if there is none, and the errors of `storeIdOf`. */
export async function requireStoreId(folder: string): Promise<string> {
  const id = await storeIdOf(folder);
  if (id === undefined) throw new StoreError(`${folder} holds no store`);
  return id;
}

function checkIdentity(present: unknown, folder: string): z.infer<typeof StoreIdentity> {
  const parsed = StoreIdentity.safeParse(present);
  if (!parsed.success)
    throw new StoreError(
      `${identityFile(folder)} is not a store's identity. If this folder has your ledger, repair the file. ` +
        `${OTHER_LEDGER}. If it has none, set DAILIES_STORE to another folder`,
    );
  if (parsed.data.format > STORE_FORMAT) {
    throw new StoreError(
      `${folder} is a store of format ${parsed.data.format}, and this version of Dailies knows up to ${STORE_FORMAT}; update Dailies, or set DAILIES_STORE to another folder`,
    );
  }
  return parsed.data;
}
