import { randomUUID } from 'node:crypto';
import { link, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * The three promises of the file layer that ledger and assets stand on: exclusive creation, atomic replacement, and
 * a flush after which a power cut takes neither the bytes nor the directory entry.
 */

/** What a file system without hard links says to one, as exFAT and some network and FUSE mounts. */
const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Creates `path` with these contents, durably; false where it exists. A reader never sees half of it. */
export async function createExclusive(path: string, contents: string): Promise<boolean> {
  const isFirst = await throughPart(path, contents, (part) => publishExclusive(part, path));
  if (isFirst) await flushFolder(dirname(path));
  return isFirst;
}

/** Replaces `path` with these contents, durably: a reader sees the old or the new, never a mixture. */
export async function replaceAtomically(path: string, contents: string): Promise<void> {
  await throughPart(path, contents, (part) => moveDurably(part, path));
}

/** Moves a file whose bytes are flushed to its final name within the same file system. */
export async function moveDurably(from: string, to: string): Promise<void> {
  await makeFolder(dirname(to));
  await rename(from, to);
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

/** Creates a folder and its parents, each entry flushed. */
export async function makeFolder(path: string): Promise<void> {
  const firstCreated = await mkdir(path, { recursive: true });
  if (firstCreated === undefined) return;
  for (let folder = path; folder.length >= firstCreated.length; folder = dirname(folder)) {
    await flushFolder(dirname(folder));
  }
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

/** Gives a file another name and takes it back. @throws what `lacksHardLinks` knows, and nothing else. */
export async function tryHardLink(path: string): Promise<void> {
  const trial = `${path}.${randomUUID()}.part`;
  try {
    await link(path, trial);
    await rm(trial, { force: true });
  } catch (error) {
    // Any other refusal, as of a folder that may only be read, says nothing of hard links.
    if (lacksHardLinks(error)) throw error;
  }
}

/** Whether that is how a file system says that it has no hard links. */
export function lacksHardLinks(error: unknown): boolean {
  return NO_HARD_LINKS.has(errorCode(error) ?? '');
}

/** The system's error code, as ENOENT; undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** Has the contents flushed to a part file and published from there. However that ends, the part file is gone. */
async function throughPart<T>(path: string, contents: string, publish: (part: string) => Promise<T>): Promise<T> {
  await makeFolder(dirname(path));
  const part = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(part, contents, { flag: 'wx', flush: true });
    return await publish(part);
  } finally {
    await rm(part, { force: true });
  }
}

/** Gives the part file its name; false where the name is taken. Nothing but a hard link does both at once. */
async function publishExclusive(part: string, path: string): Promise<boolean> {
  try {
    await link(part, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
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
