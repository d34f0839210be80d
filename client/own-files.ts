import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { z } from 'zod';
import { Sha256, type AssetRef } from '../contracts/asset';
import { type Assets, hashFile, ifPresent } from '../store';

/**
 * Which files of the folder are ours, what we wrote into them, and how they looked then: what looks the same since is the
 * same, and is not read again. Thousands of clips are a day's reading.
 */
const RECORD_NAME = '.dailies-files.json';
const OwnFile = z.object({ sha256: Sha256, sizeBytes: z.number(), modifiedMs: z.number() });
/** A hash alone was kept before looks were. */
const OwnRecord = z.record(z.string(), z.union([OwnFile, Sha256.transform((sha256) => ({ sha256 }))]));
type Own = z.infer<typeof OwnRecord>[string];

/**
 * A folder of a person's into which Dailies puts files.
 *
 * A file that is there and is not as Dailies left it belongs to the person: it is moved aside, never written over. So is
 * a link, which may lead out of the folder; only the folder itself may be one. Files are written as parts and renamed.
 */
export interface OwnFiles {
  /** Puts a copy of the asset there, unless it is there already. `name` is relative, with slashes. */
  putAsset(name: string, asset: AssetRef): Promise<void>;
  putText(name: string, text: string): Promise<void>;
  /** Remembers what was put. Returns the names that files of the person's were moved to. */
  done(): Promise<readonly string[]>;
}

export async function openOwnFiles(folder: string, assets: Assets): Promise<OwnFiles> {
  const record = join(folder, RECORD_NAME);
  const movedAside: string[] = [];
  await mkdir(folder, { recursive: true });
  await clear(record);
  const own = new Map<string, Own>(Object.entries(await readRecord(record)));

  /** Moves aside what stands at a path and is no regular file: it is not followed, opened or written to. */
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

/** The hash of what was put last into the folder by that name; undefined if nothing was. */
export async function hashPut(folder: string, name: string): Promise<string | undefined> {
  return (await readRecord(join(folder, RECORD_NAME)))[name]?.sha256;
}

/** Through a part file, so that a reader sees all of it, and what has the name meanwhile is replaced and not written to. */
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

/** A record that cannot be read makes every file there the person's: moved aside at worst. */
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

/** Whether something else than a regular file, or a folder, has the name. A link is neither, wherever it leads. */
export async function isOther(path: string, wanted: 'file' | 'folder'): Promise<boolean> {
  const entry = await ifPresent(lstat(path));
  if (entry === undefined) return false;
  return wanted === 'file' ? !entry.isFile() : !entry.isDirectory();
}

/** Gives a file of the person's another name, that is free. */
export async function moveAside(path: string): Promise<string> {
  const { dir, name, ext } = parse(path);
  for (let n = 1; ; n += 1) {
    const kept = join(dir, `${name}.kept-${n}${ext}`);
    if ((await ifPresent(lstat(kept))) !== undefined) continue;
    await rename(path, kept);
    return kept;
  }
}
