import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * The three promises of the file layer that ledger and assets stand on: exclusive creation, atomic replacement, and
 * a flush after which a power cut takes neither the bytes nor the directory entry.
 */

/** Codes of file systems that have no hard links, as some network and FUSE mounts. */
const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Creates `path` with these contents, durably; false where it exists. A reader never sees half of it. */
export async function createExclusive(path: string, contents: string): Promise<boolean> {
  const part = await writePart(path, contents);
  try {
    await publishExclusive(part, path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(part);
  }
  await flushFolder(dirname(path));
  return true;
}

/** Replaces `path` with these contents, durably: a reader sees the old or the new, never a mixture. */
export async function replaceAtomically(path: string, contents: string): Promise<void> {
  const part = await writePart(path, contents);
  await moveDurably(part, path);
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

/** The system's error code, as ENOENT; undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

async function writePart(path: string, contents: string): Promise<string> {
  await makeFolder(dirname(path));
  const part = `${path}.${randomUUID()}.part`;
  const file = await open(part, 'wx');
  try {
    await file.writeFile(contents);
    await file.sync();
  } finally {
    await file.close();
  }
  return part;
}

async function publishExclusive(part: string, path: string): Promise<void> {
  try {
    await link(part, path);
  } catch (error) {
    if (!NO_HARD_LINKS.has(errorCode(error) ?? '')) throw error;
    // A crash within this copy leaves a record that cannot be read. Readers take such a record for "was begun".
    await copyFile(part, path, constants.COPYFILE_EXCL);
    await flushFile(path);
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
