import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { z } from 'zod';
import { Sha256, type AssetRef } from '../contracts/asset';
import { type Assets, errorCode, hashFile } from '../store';

/** Which files of the folder are ours, and what we wrote into them. */
const RECORD_NAME = '.dailies-files.json';
const OwnHashes = z.record(z.string(), Sha256);

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
  const own = new Map(Object.entries(await readHashes(record)));
  const movedAside: string[] = [];

  async function put(name: string, sha256: string, write: (path: string) => Promise<void>): Promise<void> {
    const path = join(folder, name);
    const present = await hashIfPresent(path);
    if (present !== undefined && present !== sha256 && present !== own.get(name)) {
      movedAside.push(await moveAside(path));
    }
    if (present !== sha256) await write(path);
    own.set(name, sha256);
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
async function readHashes(record: string): Promise<z.infer<typeof OwnHashes>> {
  try {
    return OwnHashes.parse(JSON.parse(await readFile(record, 'utf8')));
  } catch {
    return {};
  }
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
