import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { z } from 'zod';
import { Sha256, type AssetRef } from '../../contracts/asset';
import { type Assets, hashFile, ifPresent } from '../../store';

/**
 * The record of the files that Dailies wrote into the folder, with hash, size and time. A file with the same size and
 * time is not read again, since hashing thousands of clips takes hours.
 */
const RECORD_NAME = '.dailies-files.json';
const OwnFile = z.object({ sha256: Sha256, sizeBytes: z.number(), modifiedMs: z.number() });
/** Older records have the hash only. */
const OwnRecord = z.record(z.string(), z.union([OwnFile, Sha256.transform((sha256) => ({ sha256 }))]));
type Own = z.infer<typeof OwnRecord>[string];

/**
 * A person's folder into which Dailies puts files.
 *
 * A file that Dailies did not leave there is the person's: it is moved aside, never overwritten. So are links, because
 * they may lead out of the folder; only the folder itself may be a link. Files are written as parts and renamed.
 */
export interface OwnFiles {
  /** Puts a copy of the asset there unless it exists. `name` is relative, with slashes. */
  putAsset(name: string, asset: AssetRef): Promise<void>;
  putText(name: string, text: string): Promise<void>;
  /** Writes the record. Returns the new names of the person's files that were moved aside. */
  done(): Promise<readonly string[]>;
}

export async function openOwnFiles(folder: string, assets: Assets): Promise<OwnFiles> {
  const record = join(folder, RECORD_NAME);
  const movedAside: string[] = [];
  await mkdir(folder, { recursive: true });
  await clear(record);
  const own = new Map<string, Own>(Object.entries(await readRecord(record)));

  /** Moves aside anything that is no regular file, without following, opening or writing it. */
  async function clear(path: string): Promise<void> {
    if (await isOther(path, 'file')) movedAside.push(await moveAside(path));
  }
  async function clearFolders(name: string): Promise<void> {
    const folders = name.split('/').slice(0, -1);
    for (const [index] of folders.entries()) {
      const path = join(folder, ...folders.slice(0, index + 1));
      if (await isOther(path, 'folder')) movedAside.push(await moveAside(path));
    }
  }

  async function put(name: string, sha256: string, write: (path: string) => Promise<void>): Promise<void> {
    const path = join(folder, name);
    const known = own.get(name);
    await clearFolders(name);
    await clear(path);
    if (known?.sha256 === sha256 && (await looksAsLeft(path, known))) return;
    const present = await ifPresent(hashFile(path));
    if (present !== undefined && present !== sha256 && present !== known?.sha256) {
      movedAside.push(await moveAside(path));
    }
    if (present !== sha256) await write(path);
    own.set(name, { sha256, ...(await lookOf(path)) });
  }

  return {
    putAsset: (name, asset) => put(name, asset.sha256, (path) => assets.copyTo(asset, path)),
    putText: (name, text) =>
      put(name, createHash('sha256').update(text).digest('hex'), (path) => writeText(path, text)),
    async done() {
      await writeText(record, `${JSON.stringify(Object.fromEntries(own), null, 2)}\n`);
      return movedAside;
    },
  };
}

/** The hash of the file that Dailies last put there under that name; undefined if it put none. */
export async function hashPut(folder: string, name: string): Promise<string | undefined> {
  return (await readRecord(join(folder, RECORD_NAME)))[name]?.sha256;
}

/**
 * Writes through a part file, so that readers never see half a file, and a link that has taken the name is replaced
 * rather than followed.
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

/** Without a readable record all files count as the person's. At worst they are moved aside. */
async function readRecord(record: string): Promise<z.infer<typeof OwnRecord>> {
  try {
    return OwnRecord.parse(JSON.parse(await readFile(record, 'utf8')));
  } catch {
    return {};
  }
}

async function lookOf(path: string): Promise<Pick<z.infer<typeof OwnFile>, 'sizeBytes' | 'modifiedMs'>> {
  const { size, mtimeMs } = await lstat(path);
  return { sizeBytes: size, modifiedMs: mtimeMs };
}

async function looksAsLeft(path: string, known: Own): Promise<boolean> {
  if (!('sizeBytes' in known)) return false;
  const now = await lstat(path).catch(() => undefined);
  return now?.size === known.sizeBytes && now.mtimeMs === known.modifiedMs;
}

/** Whether the path has something other than a regular file, or than a folder. A link is neither. */
export async function isOther(path: string, wanted: 'file' | 'folder'): Promise<boolean> {
  const entry = await ifPresent(lstat(path));
  if (entry === undefined) return false;
  return wanted === 'file' ? !entry.isFile() : !entry.isDirectory();
}

/** Renames a person's file to a free name and returns that. */
export async function moveAside(path: string): Promise<string> {
  const { dir, name, ext } = parse(path);
  for (let n = 1; ; n += 1) {
    const kept = join(dir, `${name}.kept-${n}${ext}`);
    if ((await ifPresent(lstat(kept))) !== undefined) continue;
    await rename(path, kept);
    return kept;
  }
}
