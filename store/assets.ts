import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, mkdir, readdir, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type AssetRef } from '../contracts/asset';
import { errorCode, flushFile, makeFolder, moveDurably } from './durable-file';

/** What the bytes are, as found by probing them. */
export type AssetDescription = Omit<AssetRef, 'sha256' | 'sizeBytes'>;

/** Looks into the bytes before they become an asset; throws for bytes that may not become one. */
export type Describe = (path: string) => Promise<AssetDescription>;

/**
 * Bytes by SHA-256. An asset is never changed and never seen half written: it comes from a part file by flush and
 * rename, and two writers of the same bytes end in the same asset.
 */
export interface Assets {
  /** Copies a file of the person's into the store. */
  putFile(path: string, describe: Describe): Promise<AssetRef>;
  putBytes(bytes: Uint8Array, description: AssetDescription): Promise<AssetRef>;
  /** Makes a part file an asset and takes it away. */
  commitPart(part: string, describe: Describe): Promise<AssetRef>;
  /** A new part file's path, empty and unique to its caller. `label` groups the parts of one download. */
  newPart(label: string): Promise<string>;
  /** Part files that earlier attempts left under the label, the largest first. */
  leftParts(label: string): Promise<readonly { readonly path: string; readonly sizeBytes: number }[]>;
  /** Whether the bytes are there in full length. */
  has(asset: AssetRef): Promise<boolean>;
  open(asset: AssetRef): Readable;
  /** A path for programs that read files, as ffmpeg; read-only. */
  localPath(asset: AssetRef): string;
  /** Puts a copy of the asset at `path`. Never a hard link: what a person edits in place must not reach the store. */
  copyTo(asset: AssetRef, path: string): Promise<void>;
}

export function createFolderAssets(folder: string): Assets {
  const assetsFolder = join(folder, 'assets');
  const partsFolder = join(folder, 'parts');
  const localPath = ({ sha256 }: AssetRef): string => join(assetsFolder, sha256.slice(0, 2), sha256);

  async function newPart(label: string): Promise<string> {
    await mkdir(partsFolder, { recursive: true });
    const path = join(partsFolder, `${label}.${randomUUID()}.part`);
    await writeFile(path, '', { flag: 'wx' });
    return path;
  }

  async function has(asset: AssetRef): Promise<boolean> {
    return (await sizeOf(localPath(asset))) === asset.sizeBytes;
  }

  async function commitPart(part: string, describe: Describe): Promise<AssetRef> {
    const description = await describe(part);
    const asset = { sha256: await hashFile(part), sizeBytes: (await stat(part)).size, ...description };
    if (await has(asset)) {
      await unlink(part);
    } else {
      await flushFile(part);
      await moveDurably(part, localPath(asset));
    }
    return asset;
  }

  return {
    newPart,
    has,
    commitPart,
    localPath,
    open: (asset) => createReadStream(localPath(asset)),
    async putFile(path, describe) {
      const part = await newPart('file');
      await copyFile(path, part, constants.COPYFILE_FICLONE);
      return commitPart(part, describe);
    },
    async putBytes(bytes, description) {
      const part = await newPart('bytes');
      await writeFile(part, bytes);
      return commitPart(part, () => Promise.resolve(description));
    },
    async leftParts(label) {
      const names = await readdir(partsFolder).catch(() => []);
      const parts = await Promise.all(
        names
          .filter((name) => name.startsWith(`${label}.`) && name.endsWith('.part'))
          .map((name) => join(partsFolder, name))
          .map(async (path) => ({ path, sizeBytes: (await sizeOf(path)) ?? 0 })),
      );
      return parts.sort((a, b) => b.sizeBytes - a.sizeBytes);
    },
    async copyTo(asset, path) {
      await makeFolder(dirname(path));
      const part = `${path}.${randomUUID()}.part`;
      await copyFile(localPath(asset), part, constants.COPYFILE_FICLONE);
      await rename(part, path);
    },
  };
}

/** SHA-256 of a file's bytes, in lower-case hexadecimal. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
