import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { z } from 'zod';
import { Sha256, type AssetRef } from '../../contracts/asset';
import { type Assets, hashFile, ifPresent } from '../../store';

/**
 * The record of the files that Dailies wrote into the folder, with hash, size and time. A file is not read again if its
 * recorded hash is the wanted hash, and its size and time are unchanged: hashing thousands of clips takes hours.
 */
const RECORD_NAME = '.dailies-files.json';
const WrittenFile = z.object({ sha256: Sha256, sizeBytes: z.number(), modifiedMs: z.number() });
/** Older records have the hash only. */
const FilesRecord = z.record(z.string(), z.union([WrittenFile, Sha256.transform((sha256) => ({ sha256 }))]));
type Written = z.infer<typeof FilesRecord>[string];

/**
 * The files that Dailies writes into a person's folder.
 *
 * A file that Dailies did not write, or that was changed since, belongs to the person. Unless such a file has the
 * wanted bytes, it is moved aside, never overwritten. Links are moved aside too, because they may lead out of the
 * folder; only the folder itself may be a link.
 */
export interface OutFiles {
  /**
   * Copies the asset into the folder, unless the file exists with the same bytes.
   *
   * @param name relative path, with slashes.
   */
  putAsset(name: string, asset: AssetRef): Promise<void>;
  putText(name: string, text: string): Promise<void>;
  /** Writes the record. Returns the new paths of the person's files that were moved aside. */
  done(): Promise<readonly string[]>;
}

export async function openOutFiles(folder: string, assets: Assets): Promise<OutFiles> {
  const record = join(folder, RECORD_NAME);
  const movedAside: string[] = [];
  await mkdir(folder, { recursive: true });
  await clear(record);
  const written = new Map<string, Written>(Object.entries(await readRecord(record)));

  /** Moves aside anything but a regular file, without following, opening or writing it. */
  async function clear(path: string): Promise<void> {
    if (await isOfOtherKind(path, 'file')) movedAside.push(await moveAside(path));
  }
  async function clearFolders(name: string): Promise<void> {
    const folders = name.split('/').slice(0, -1);
    for (const [index] of folders.entries()) {
      const path = join(folder, ...folders.slice(0, index + 1));
      if (await isOfOtherKind(path, 'folder')) movedAside.push(await moveAside(path));
    }
  }

  async function put(name: string, sha256: string, write: (path: string) => Promise<void>): Promise<void> {
    const path = join(folder, name);
    const recorded = written.get(name);
    await clearFolders(name);
    await clear(path);
    if (recorded?.sha256 === sha256 && (await isUnchanged(path, recorded))) return;
    const present = await ifPresent(hashFile(path));
    if (present !== undefined && present !== sha256 && present !== recorded?.sha256) {
      movedAside.push(await moveAside(path));
    }
    if (present !== sha256) await write(path);
    written.set(name, { sha256, ...(await sizeAndTime(path)) });
  }

  return {
    putAsset: (name, asset) => put(name, asset.sha256, (path) => assets.copyTo(asset, path)),
    putText: (name, text) =>
      put(name, createHash('sha256').update(text).digest('hex'), (path) => writeText(path, text)),
    async done() {
      await writeText(record, `${JSON.stringify(Object.fromEntries(written), null, 2)}\n`);
      return movedAside;
    },
  };
}

/** The hash of the file that Dailies last wrote under that name; undefined if none is recorded. */
export async function writtenHash(folder: string, name: string): Promise<string | undefined> {
  return (await readRecord(join(folder, RECORD_NAME)))[name]?.sha256;
}

/**
 * Writes a part file and renames it to `path`. Readers never see half a file, and a link at `path` is replaced, not
 * followed.
 */
async function writeText(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(part, text, { flag: 'wx' });
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
}

/** Empty if the record cannot be read. Every file then counts as the person's. */
async function readRecord(record: string): Promise<z.infer<typeof FilesRecord>> {
  try {
    return FilesRecord.parse(JSON.parse(await readFile(record, 'utf8')));
  } catch {
    return {};
  }
}

async function sizeAndTime(path: string): Promise<Pick<z.infer<typeof WrittenFile>, 'sizeBytes' | 'modifiedMs'>> {
  const { size, mtimeMs } = await lstat(path);
  return { sizeBytes: size, modifiedMs: mtimeMs };
}

async function isUnchanged(path: string, recorded: Written): Promise<boolean> {
  if (!('sizeBytes' in recorded)) return false;
  const now = await lstat(path).catch(() => undefined);
  return now?.size === recorded.sizeBytes && now.mtimeMs === recorded.modifiedMs;
}

/** True if the path exists and is not of the wanted kind. A link is neither a file nor a folder. */
export async function isOfOtherKind(path: string, wanted: 'file' | 'folder'): Promise<boolean> {
  const entry = await ifPresent(lstat(path));
  if (entry === undefined) return false;
  return wanted === 'file' ? !entry.isFile() : !entry.isDirectory();
}

/** Renames a person's file or folder to a free name and returns the new path. */
export async function moveAside(path: string): Promise<string> {
  const { dir, name, ext } = parse(path);
  for (let n = 1; ; n += 1) {
    const kept = join(dir, `${name}.kept-${n}${ext}`);
    if ((await ifPresent(lstat(kept))) !== undefined) continue;
    await rename(path, kept);
    return kept;
  }
}
