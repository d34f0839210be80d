import { randomUUID } from 'node:crypto';
import { link, mkdir, open, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Modes, modesBelow, PRIVATE } from './modes';

/**
 * The three promises of the file layer that ledger and assets stand on: exclusive creation, atomic replacement, and
 * a flush after which a power cut takes neither the bytes nor the directory entry.
 */

/** What a file system without hard links says to one, as exFAT and some network and FUSE mounts. */
const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Folders whose names this process has seen to the disk; forgetting them costs another flush. */
const flushedFolders = new Set<string>();

/** A worker that runs for months makes some folders for every take. */
const MOST_FLUSHED_FOLDERS = 10_000;

/**
 * Creates `path` with these contents, durably; false where it exists. A reader never sees half of it.
 *
 * @param top the folder that all who write here agree on: names of folders below it are flushed whoever made them, and
 * its mode says who may read what is new. Default: its owner alone may.
 */
export async function createExclusive(path: string, contents: string, top?: string): Promise<boolean> {
  const publish = (part: string): Promise<boolean> => publishExclusive(part, path);
  const isFirst = await inFolder(dirname(path), top, (modes) => throughPart(path, contents, modes, publish));
  if (isFirst) await flushFolder(dirname(path));
  return isFirst;
}

/**
 * Replaces `path` with these contents, durably: a reader sees the old or the new, never a mixture.
 *
 * @param top as for createExclusive.
 */
export async function replaceAtomically(path: string, contents: string, top?: string): Promise<void> {
  await inFolder(dirname(path), top, (modes) => throughPart(path, contents, modes, (part) => rename(part, path)));
  await flushFolder(dirname(path));
}

/**
 * Moves a file whose bytes are flushed to its final name within the same file system.
 *
 * @param top as for createExclusive.
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
 * Creates a folder and its parents, each name flushed.
 *
 * Below `top`, also the names of folders that were there: who made them may be about to flush them, or was killed before.
 *
 * @param mode of folders that are created. Default: what the umask leaves.
 */
export async function makeFolder(path: string, top?: string, mode?: number): Promise<void> {
  const firstCreated = await mkdir(path, { recursive: true, ...(mode === undefined ? {} : { mode }) });
  const isCreated = (folder: string): boolean => firstCreated !== undefined && folder.length >= firstCreated.length;
  const isToFlush = (folder: string): boolean =>
    isCreated(folder) || (top !== undefined && folder.length > top.length && !flushedFolders.has(folder));
  const names: string[] = [];
  for (let folder = path; isToFlush(folder); folder = dirname(folder)) names.push(folder);
  for (const name of names) await flushFolder(dirname(name));
  // Only now, so that nobody takes the lower ones for flushed while the upper ones are not.
  if (flushedFolders.size > MOST_FLUSHED_FOLDERS) flushedFolders.clear();
  if (top !== undefined) for (const name of names) flushedFolders.add(name);
}

/**
 * Writes in a folder, which is made where this process has not seen it on the disk yet, or somebody has taken it away
 * since.
 */
async function inFolder<T>(folder: string, top: string | undefined, write: (modes: Modes) => Promise<T>): Promise<T> {
  const modes = top === undefined ? PRIVATE : await modesBelow(top);
  if (flushedFolders.has(folder)) {
    try {
      return await write(modes);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      // Whoever makes it anew may not have flushed its name yet, nor those above.
      flushedFolders.clear();
    }
  }
  await makeFolder(folder, top, modes.folder);
  return write(modes);
}

/** What a reading comes to; undefined where there is no such file or folder. */
export async function ifPresent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/**
 * Makes a file, gives it a second name in the folder, and removes both. The test needs a file of this process: Linux
 * refuses links to files of other users (fs.protected_hardlinks).
 *
 * @throws only errors that `lacksHardLinks` recognizes.
 */
export async function tryHardLink(folder: string): Promise<void> {
  const own = join(folder, `${randomUUID()}.part`);
  const trial = join(folder, `${randomUUID()}.part`);
  try {
    await writeFile(own, '', { flag: 'wx', mode: PRIVATE.file });
    await link(own, trial);
  } catch (error) {
    // Any other refusal, as of a folder that may only be read, says nothing of hard links.
    if (lacksHardLinks(error)) throw error;
  } finally {
    await Promise.allSettled([rm(own, { force: true }), rm(trial, { force: true })]);
  }
}

/** Whether an error means that the file system has no hard links. Only valid for a link to this process's own file. */
export function lacksHardLinks(error: unknown): boolean {
  const { syscall = 'link' } = (error ?? {}) as { readonly syscall?: unknown };
  return syscall === 'link' && NO_HARD_LINKS.has(errorCode(error) ?? '');
}

/** The system's error code, as ENOENT; undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** Has the contents flushed to a part file, which `publish` takes away. However that ends, the part file is gone. */
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

/** Gives the part file its name; false where the name is taken. Nothing but a hard link does both at once. */
async function publishExclusive(part: string, path: string): Promise<boolean> {
  const isFirst = await link(part, path).then(
    () => true,
    async (error: unknown) => {
      if (await hasSecondName(part)) return true;
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    },
  );
  // The record exists by now; a part file that cannot be removed only takes up room.
  await unlink(part).catch(() => undefined);
  return isFirst;
}

/**
 * Whether a link was made although the file system reported an error: over NFS the answer may be lost, and the repeated
 * request then finds its own link.
 *
 * The file is opened first, since an NFS client asks the server for a file's attributes when it opens the file.
 * Source: open(2), "O_EXCL".
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
