import { randomUUID } from 'node:crypto';
import { link, mkdir, open, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Modes, modesBelow, PRIVATE } from './modes';

/**
 * File operations of the ledger and the assets: exclusive creation, atomic replacement, and flushes, so that the bytes
 * and the directory entry survive a power failure.
 */

/** Errors of link(2) on file systems without hard links, such as exFAT and some network and FUSE mounts. */
const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Folders whose directory entries this process has flushed. Removing a folder from the set costs only another flush.
 */
const flushedFolders = new Set<string>();

/** Limits memory, since a worker may run for months and makes folders for every take. */
const MOST_FLUSHED_FOLDERS = 10_000;

/**
 * Creates `path` with these contents, durably. False if it exists. A reader never sees partial contents.
 *
 * @param top the root folder. Directory entries of folders below it are flushed even if another process made them. The
 *   mode of `top` decides who may read new files. Without `top`, only the owner may read them.
 */
export async function createExclusive(path: string, contents: string, top?: string): Promise<boolean> {
  const publish = (part: string): Promise<boolean> => publishExclusive(part, path);
  const isFirst = await inFolder(dirname(path), top, (modes) => throughPart(path, contents, modes, publish));
  if (isFirst) await flushFolder(dirname(path));
  return isFirst;
}

/**
 * Replaces `path` with these contents, durably. A reader sees the old or the new contents, never a mixture.
 *
 * @param top as for createExclusive.
 */
export async function replaceAtomically(path: string, contents: string, top?: string): Promise<void> {
  await inFolder(dirname(path), top, (modes) => throughPart(path, contents, modes, (part) => rename(part, path)));
  await flushFolder(dirname(path));
}

/**
 * Moves a flushed file to its final name, durably. Both names must be on one file system.
 *
 * @param top as for createExclusive, but the file keeps its mode.
 */
export async function moveDurably(from: string, to: string, top?: string): Promise<void> {
  await inFolder(dirname(to), top, () => rename(from, to));
  await flushFolder(dirname(to));
}

/** Flushes a file's bytes to the disk. */
export async function flushFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Creates a folder and its missing parents, and flushes their directory entries.
 *
 * Below `top` it also flushes the entries of existing folders: the process that made a folder may have been killed
 * before it flushed the entry.
 *
 * @param mode of folders that are created. Default: by the umask.
 */
export async function makeFolder(path: string, top?: string, mode?: number): Promise<void> {
  const firstCreated = await mkdir(path, { recursive: true, ...(mode === undefined ? {} : { mode }) });
  const isCreated = (folder: string): boolean => firstCreated !== undefined && folder.length >= firstCreated.length;
  const isToFlush = (folder: string): boolean =>
    isCreated(folder) || (top !== undefined && folder.length > top.length && !flushedFolders.has(folder));
  const names: string[] = [];
  for (let folder = path; isToFlush(folder); folder = dirname(folder)) names.push(folder);
  for (const name of names) await flushFolder(dirname(name));
  // Add the folders only after the flushes: concurrent callers must not rely on a folder before all folders above it
  // are flushed.
  if (flushedFolders.size > MOST_FLUSHED_FOLDERS) flushedFolders.clear();
  if (top !== undefined) for (const name of names) flushedFolders.add(name);
}

/** Writes in a folder. First makes and flushes the folder, unless this process has done so and the folder exists. */
async function inFolder<T>(folder: string, top: string | undefined, write: (modes: Modes) => Promise<T>): Promise<T> {
  const modes = top === undefined ? PRIVATE : await modesBelow(top);
  if (flushedFolders.has(folder)) {
    try {
      return await write(modes);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      // The folder was removed. Its parents may have been removed and recreated too, without a flush.
      flushedFolders.clear();
    }
  }
  await makeFolder(folder, top, modes.folder);
  return write(modes);
}

/** The result of a read; undefined if there is no such file or folder. */
export async function ifPresent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/**
 * Tests whether a folder's file system has hard links: makes a file, links it, and removes both. The file must be this
 * process's own, since Linux refuses links to other users' files (fs.protected_hardlinks).
 *
 * @throws the system's error if there are no hard links. Ignores any other error.
 */
export async function tryHardLink(folder: string): Promise<void> {
  const own = join(folder, `${randomUUID()}.part`);
  const trial = join(folder, `${randomUUID()}.part`);
  try {
    await writeFile(own, '', { flag: 'wx', mode: PRIVATE.file });
    await link(own, trial);
  } catch (error) {
    // Any other error, for example in a read-only folder, says nothing about hard links.
    if (lacksHardLinks(error)) throw error;
  } finally {
    await Promise.allSettled([rm(own, { force: true }), rm(trial, { force: true })]);
  }
}

/** True if an error shows that the file system has no hard links. Only valid for a link to this process's own file. */
export function lacksHardLinks(error: unknown): boolean {
  return (systemCall(error) ?? 'link') === 'link' && NO_HARD_LINKS.has(errorCode(error) ?? '');
}

/** The error's code, such as the system's ENOENT; undefined if the error has none. */
export function errorCode(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** The system call that failed, such as `mkdir`; undefined if the error does not name one. */
export function systemCall(error: unknown): string | undefined {
  const { syscall } = (error ?? {}) as { readonly syscall?: unknown };
  return typeof syscall === 'string' ? syscall : undefined;
}

/**
 * Writes and flushes the contents to a part file, which `publish` links or renames. Removes the part file after an
 * error.
 */
async function throughPart<T>(
  path: string,
  contents: string,
  { file: mode }: Modes,
  publish: (part: string) => Promise<T>,
): Promise<T> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(part, contents, { flag: 'wx', flush: true, mode });
    return await publish(part);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/**
 * Gives the part file its final name. False if the name is taken. Unlike rename(2), link(2) fails if the name exists.
 */
async function publishExclusive(part: string, path: string): Promise<boolean> {
  const isFirst = await link(part, path).then(
    () => true,
    async (error: unknown) => {
      if (await hasSecondName(part)) return true;
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    },
  );
  // Ignore errors: the record exists, and a leftover part file only takes up space.
  await unlink(part).catch(() => undefined);
  return isFirst;
}

/**
 * True if a link was made although the file system reported an error. Over NFS an answer may be lost: the repeated
 * request then fails, because the first one has made the link.
 *
 * Opens the file, since an NFS client then gets its attributes from the server. Source: open(2), "O_EXCL".
 */
async function hasSecondName(part: string): Promise<boolean> {
  const file = await open(part, 'r');
  try {
    return (await file.stat()).nlink > 1;
  } finally {
    await file.close();
  }
}

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
