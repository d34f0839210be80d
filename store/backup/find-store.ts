import { shellWord } from '../../contracts/terminal-text';
import { existsSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { errorCode } from '../disk/durable-file';

/** Name of a store's folder if DAILIES_STORE does not name the folder. */
const FOLDER_NAME = '.dailies';

/** Contains a store's id and the version of its layout. */
const IDENTITY_FILE = 'store.json';

/** The folder of the store to use. */
export interface StorePlace {
  /** Absolute. */
  readonly folder: string;
  /** False if there is no store yet: opening the folder creates a store with an empty ledger. */
  readonly exists: boolean;
  /** `setting` if DAILIES_STORE names the folder, `search` if it was searched for. */
  readonly from: 'setting' | 'search';
  /** The folders to search for `.dailies`; the first match wins. Empty if DAILIES_STORE names the folder. */
  readonly searched: readonly string[];
}

export interface StoreQuestion {
  /** DAILIES_STORE; relative to the working directory. */
  readonly setting: string | undefined;
  readonly cwd: string;
  /** The production file or batch file that the command works on. */
  readonly file: string | undefined;
}

/** The search found another user's store above the starting folders or in a world-writable folder. */
export class ForeignStore extends Error {
  override readonly name = 'ForeignStore';
}

/**
 * Returns the store that DAILIES_STORE names. Otherwise searches as git does: upwards from the file's folder, then
 * upwards from the working directory.
 *
 * So a store beside or above a file is found from every working directory, and through a symbolic link to the file. A
 * new store belongs in the working directory, or in the file's folder if the file is outside the working directory. A
 * later search for the file finds the store in either place.
 *
 * @throws ForeignStore
 */
export function findStore({ setting, cwd, file }: StoreQuestion): StorePlace {
  if (setting !== undefined) {
    const folder = resolve(cwd, setting);
    return { folder, exists: existsSync(join(folder, IDENTITY_FILE)), from: 'setting', searched: [] };
  }
  const here = realPath(cwd);
  const fileFolder = file === undefined ? undefined : dirname(realPath(resolve(cwd, file)));
  const searched = [...new Set([...(fileFolder === undefined ? [] : upwards(fileFolder)), ...upwards(here)])];
  const found = searched.find(hasStore);
  if (found !== undefined) {
    if ((found !== here && found !== fileFolder) || isOpenToAll(found)) checkOwner(join(found, FOLDER_NAME));
    return { folder: join(found, FOLDER_NAME), exists: true, from: 'search', searched };
  }
  const place = fileFolder === undefined || isWithin(here, fileFolder) ? here : fileFolder;
  return { folder: join(place, FOLDER_NAME), exists: false, from: 'search', searched };
}

/** The folders of the stores that lie directly in these folders. */
export function storesAmong(folders: readonly string[]): readonly string[] {
  return folders.filter(hasStore).map((folder) => join(folder, FOLDER_NAME));
}

/** A folder and all folders above it, nearest first. */
function upwards(folder: string): readonly string[] {
  const { root } = parse(folder);
  return folder === root ? [folder] : [folder, ...upwards(dirname(folder))];
}

/** Resolves symbolic links. A path that cannot be resolved is only made absolute: the command reports it later. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/**
 * True if the folder has a store. A store that this user may not read counts too: otherwise a new store would be
 * created, and the same takes would be paid for again.
 */
function hasStore(folder: string): boolean {
  const store = join(folder, FOLDER_NAME);
  try {
    return statSync(join(store, IDENTITY_FILE), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return errorCode(error) === 'EACCES' && existsSync(store);
  }
}

/** True if every user of the machine may create a store in the folder, as in /tmp. */
function isOpenToAll(folder: string): boolean {
  return (statSync(folder).mode & 0o002) !== 0;
}

/** @throws ForeignStore if the store belongs to another user. */
function checkOwner(folder: string): void {
  const { uid } = identityOrFolder(folder);
  const ownUid = process.geteuid?.();
  if (ownUid === undefined || uid === ownUid) return;
  throw new ForeignStore(
    `the store ${folder} belongs to the user with id ${uid}; you are ${ownUid}. ` +
      'It was found above the starting folder, or in a folder where every user may create a store. ' +
      `If it is the right one, confirm it: DAILIES_STORE=${shellWord(folder)}. Otherwise set DAILIES_STORE to your own store`,
  );
}

function identityOrFolder(store: string): Stats {
  try {
    return statSync(join(store, IDENTITY_FILE));
  } catch {
    return statSync(store);
  }
}

function isWithin(outer: string, inner: string): boolean {
  const path = relative(outer, inner);
  return path === '' || (path.split(sep)[0] !== '..' && !isAbsolute(path));
}
