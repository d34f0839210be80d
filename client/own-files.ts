import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { z } from 'zod';
import { Sha256, type AssetRef } from '../contracts/asset';
import { type Assets, errorCode, hashFile } from '../store';

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
 * A file that is there and is not as Dailies left it belongs to the person: it is moved aside, never written over.
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
  const own = new Map<string, Own>(Object.entries(await readRecord(record)));
  const movedAside: string[] = [];

  async function put(name: string, sha256: string, write: (path: string) => Promise<void>): Promise<void> {
    const path = join(folder, name);
    const known = own.get(name);
    if (known?.sha256 === sha256 && (await looksAsLeft(path, known))) return;
    const present = await hashIfPresent(path);
    if (present !== undefined && present !== sha256 && present !== known?.sha256) {
      movedAside.push(await moveAside(path));
    }
    if (present !== sha256) await write(path);
    own.set(name, { sha256, ...(await lookOf(path)) });
  }

  return {
    putAsset: (name, asset) => put(name, asset.sha256, (path) => assets.copyTo(asset, path)),
    putText: (name, text) =>
      put(name, createHash('sha256').update(text).digest('hex'), async (path) => {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, text);
      }),
    async done() {
      await mkdir(folder, { recursive: true });
      await writeFile(record, `${JSON.stringify(Object.fromEntries(own), null, 2)}\n`);
      return movedAside;
    },
  };
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
  const { size, mtimeMs } = await stat(path);
  return { sizeBytes: size, modifiedMs: mtimeMs };
}

async function looksAsLeft(path: string, known: Own): Promise<boolean> {
  if (!('sizeBytes' in known)) return false;
  const now = await stat(path).catch(() => undefined);
  return now?.size === known.sizeBytes && now.mtimeMs === known.modifiedMs;
}

async function hashIfPresent(path: string): Promise<string | undefined> {
  try {
    return await hashFile(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Gives a file of the person's another name, that is free. */
export async function moveAside(path: string): Promise<string> {
  const { dir, name, ext } = parse(path);
  for (let n = 1; ; n += 1) {
    const kept = join(dir, `${name}.kept-${n}${ext}`);
    if (await isThere(kept)) continue;
    await rename(path, kept);
    return kept;
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
