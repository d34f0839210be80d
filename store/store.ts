import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type AssetRef } from '../contracts/asset';
import { type Assets, createFolderAssets } from './assets';
import { accessInWords, deniesAccess } from './access';
import { errorCode, ifPresent, lacksHardLinks, tryHardLink } from './durable-file';
import { createLedger, type Ledger } from './ledger';
import { removeOthersAccess } from './modes';
import { markNewPlace } from './place';
import { notingPrices } from './price-notes';
import { createFolderRecords, type Records } from './records';

/** Version of the folder's layout. A store of a newer version is refused. */
export const STORE_FORMAT = 1;

/** Assets, ledger and small records of all productions of one or more gateway accounts. */
export interface Store {
  readonly id: string;
  /** Absolute. */
  readonly folder: string;
  readonly assets: Assets;
  readonly ledger: Ledger;
  readonly records: Records;
  /** Stores a value's JSON as an asset, for example a frozen production. */
  putJson(value: unknown): Promise<AssetRef>;
}

/** A store that is only read. It may be missing; then it reads as empty. */
export type StoreView = Pick<Store, 'assets' | 'ledger' | 'records'>;

/** The folder is not a store that this version can use. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

export const STORE_ID = /^[0-9a-f]{12}$/;

const StoreIdentity = z.looseObject({ format: z.int(), id: z.string().regex(STORE_ID) });

/**
 * Opens the store in a folder, or makes one.
 *
 * @param newId id of a new store. Default: a random one.
 * @throws StoreError
 */
export async function openStore(folder: string, newId = newStoreId()): Promise<Store> {
  const records = createFolderRecords(folder);
  await removeOthersAccess(folder);
  const { id } = await identity(records, folder, newId).catch((error: unknown) => {
    const code = errorCode(error);
    if (code === undefined) throw error;
    if (deniesAccess(error)) return refuseAccess(folder);
    const why = lacksHardLinks(error) ? `its file system has no hard links: ${code}` : code;
    throw new StoreError(`${folder} cannot hold a store (${why}); set DAILIES_STORE to another folder`);
  });
  await markNewPlace(records, folder);
  const assets = createFolderAssets(folder);
  return {
    id,
    folder,
    assets,
    records,
    ledger: notingPrices(createLedger(records), records),
    putJson: (value) =>
      assets.putBytes(Buffer.from(JSON.stringify(value)), {
        mediaType: 'application/json',
        durationSeconds: null,
        width: null,
        height: null,
      }),
  };
}

/**
 * Opens the store in a folder for reading. A missing store reads as empty, and is not made.
 *
 * @throws StoreError
 */
export async function viewStore(folder: string): Promise<StoreView> {
  const records = createFolderRecords(folder);
  const present = await records.read('store');
  if (present !== undefined) checkIdentity(present, folder);
  return { records, assets: createFolderAssets(folder), ledger: createLedger(records) };
}

/**
 * @throws StoreError. It suggests another folder only if this one has no store, since another folder has another ledger.
 */
async function refuseAccess(folder: string): Promise<never> {
  const identityFile = join(folder, 'store.json');
  const hasNoStore = (await ifPresent(stat(identityFile)).catch(() => null)) === undefined;
  const why = await accessInWords(hasNoStore ? folder : identityFile);
  throw new StoreError(
    hasNoStore
      ? `${folder} cannot hold a store, since this user may not write there: ${why}; or set DAILIES_STORE to another folder`
      : `${folder} cannot be used by this user: ${why}. Another folder would have another ledger, and Dailies would pay again for takes that this one has`,
  );
}

async function identity(records: Records, folder: string, newId: string): Promise<z.infer<typeof StoreIdentity>> {
  const present = await records.read('store');
  // The store may have been moved to a file system without hard links. There a crash could leave a partial record,
  // which would block its shot.
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

/** Gives a store a new id. Task queues and workflow ids contain it, so they change too. @returns the new id. */
export async function renameStore(records: Records, folder: string): Promise<string> {
  const identity = checkIdentity(await records.read('store'), folder);
  const id = newStoreId();
  await records.replace('store', { ...identity, id });
  return id;
}

/** The id of a store; undefined if the folder has none. @throws StoreError */
export async function storeIdOf(records: Records, folder: string): Promise<string | undefined> {
  const present = await records.read('store');
  return present === undefined ? undefined : checkIdentity(present, folder).id;
}

function checkIdentity(present: unknown, folder: string): z.infer<typeof StoreIdentity> {
  const parsed = StoreIdentity.safeParse(present);
  if (!parsed.success)
    throw new StoreError(
      `${join(folder, 'store.json')} is not a store's identity; set DAILIES_STORE to another folder`,
    );
  if (parsed.data.format > STORE_FORMAT) {
    throw new StoreError(
      `${folder} is a store of format ${parsed.data.format}, and this version of Dailies knows up to ${STORE_FORMAT}; update Dailies, or set DAILIES_STORE to another folder`,
    );
  }
  return parsed.data;
}
