import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Readable } from 'node:stream';
import { type AssetRef } from '../contracts/asset';
import { beginHash, hashFile, type HashedBytes } from './byte-hash';
import { flushFile, ifPresent, makeFolder, moveDurably } from './durable-file';
import { modesBelow, setMode } from './modes';

/** What the bytes are, as found by probing them. */
export type AssetDescription = Omit<AssetRef, 'sha256' | 'sizeBytes'>;

/** Looks into the bytes before they become an asset; throws for bytes that may not become one. */
export type Describe = (path: string) => Promise<AssetDescription>;

/** Somebody else has written to a part file, or taken it away and made it anew. */
export class PartChanged extends Error {
  override readonly name = 'PartChanged';

  constructor(writtenBytes: number, sizeBytes: number) {
    super(`${writtenBytes} bytes were written to a part file, and it holds ${sizeBytes}`);
  }
}

/** Part files that rest this long belong to nobody: no activity goes on for more than a day, all its attempts together. */
const ABANDONED_AFTER_MS = 2 * 24 * 60 * 60 * 1000;

/**
 * Bytes by SHA-256. An asset is never changed and never seen half written: it comes from a part file by flush and
 * rename, and two writers of the same bytes end in the same asset.
 */
export interface Assets {
  /** Copies a file of the person's into the store. */
  putFile(path: string, describe: Describe): Promise<AssetRef>;
  putBytes(bytes: Uint8Array, description: AssetDescription): Promise<AssetRef>;
  /** Makes an asset of what `write` leaves in a part file. However that ends, the part file is gone. */
  create(label: string, write: (part: string) => Promise<unknown>, describe: Describe): Promise<AssetRef>;
  /**
   * A new part file's path, empty and unique to its caller, for bytes that a later attempt may go on with. `label`
   * groups the parts of one download.
   */
  newPart(label: string): Promise<string>;
  /**
   * Makes a part file an asset. However that ends, the part file is gone.
   *
   * @param written what its only writer has hashed on the way to it. Default: the part is read and hashed.
   * @throws PartChanged where the part has another size than was written.
   */
  commitPart(part: string, describe: Describe, written?: HashedBytes): Promise<AssetRef>;
  /** Part files that earlier attempts left under the label, the largest first. */
  leftParts(label: string): Promise<readonly { readonly path: string; readonly sizeBytes: number }[]>;
  /** Removes part files that nobody has touched for two days, as a crash leaves them. For a worker's start. */
  sweepParts(): Promise<void>;
  /**
   * Frees the bytes, unless they came into the store after `before`: a copy that was put since then counts, though the
   * bytes were there. False where they stay, or are not there.
   */
  remove(asset: Pick<AssetRef, 'sha256'>, before: Date): Promise<boolean>;
  /** Whether the bytes are there in full length. */
  has(asset: AssetRef): Promise<boolean>;
  open(asset: AssetRef): Readable;
  /** A path for programs that read files, as ffmpeg; read-only. */
  localPath(asset: Pick<AssetRef, 'sha256'>): string;
  /** Puts a copy of the asset at `path`. Never a hard link: what a person edits in place must not reach the store. */
  copyTo(asset: AssetRef, path: string): Promise<void>;
}

export function createFolderAssets(folder: string): Assets {
  const assetsFolder = join(folder, 'assets');
  const partsFolder = join(folder, 'parts');
  const localPath = ({ sha256 }: Pick<AssetRef, 'sha256'>): string => join(assetsFolder, sha256.slice(0, 2), sha256);

  async function newPart(label: string): Promise<string> {
    const modes = await modesBelow(folder);
    await mkdir(partsFolder, { recursive: true, mode: modes.folder });
    const path = join(partsFolder, `${label}.${randomUUID()}.part`);
    await writeFile(path, '', { flag: 'wx', mode: modes.file });
    return path;
  }

  async function has(asset: AssetRef): Promise<boolean> {
    return (await ifPresent(stat(localPath(asset))))?.size === asset.sizeBytes;
  }

  /** Sets the time at which the asset came in, where it is there; that it is there is found out by that. */
  async function renew(asset: AssetRef): Promise<boolean> {
    const isThere = await ifPresent(setTime(localPath(asset)).then(() => true));
    return isThere === true && has(asset);
  }

  async function commitPart(part: string, describe: Describe, written?: HashedBytes): Promise<AssetRef> {
    try {
      const description = await describe(part);
      const sizeBytes = (await stat(part)).size;
      if (written !== undefined && written.sizeBytes !== sizeBytes) throw new PartChanged(written.sizeBytes, sizeBytes);
      const sha256 = written?.sha256 ?? (await hashFile(part));
      const asset = { sha256, sizeBytes, ...description };
      if (await renew(asset)) {
        await rm(part, { force: true });
      } else {
        await setTime(part);
        // A program that wrote the part may have made it anew.
        await setMode(part, (await modesBelow(folder)).file);
        await flushFile(part);
        await moveDurably(part, localPath(asset), folder);
      }
      return asset;
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }

  const create: Assets['create'] = async (label, write, describe) =>
    commitPart(await newPart(label), async (part) => {
      await write(part);
      return describe(part);
    });

  return {
    create,
    newPart,
    commitPart,
    has,
    localPath,
    open: (asset) => createReadStream(localPath(asset)),
    putFile: (path, describe) => create('file', (part) => copyBytes(path, part), describe),
    async putBytes(bytes, description) {
      const hash = beginHash();
      hash.add(bytes);
      const written = hash.end();
      const asset = { ...written, ...description };
      if (await renew(asset)) return asset;
      const write = async (part: string): Promise<AssetDescription> => {
        await writeFile(part, bytes);
        return description;
      };
      return commitPart(await newPart('bytes'), write, written);
    },
    async remove(asset, before) {
      const path = localPath(asset);
      const isNew = async (file: string): Promise<boolean> => (await stat(file)).mtime >= before;
      if ((await ifPresent(isNew(path))) !== false) return false;
      // Out of the way first: who puts the same bytes now renews this very file, or does not find it and writes it.
      const away = join(partsFolder, `pruned.${randomUUID()}.part`);
      await mkdir(partsFolder, { recursive: true, mode: (await modesBelow(folder)).folder });
      if ((await ifPresent(rename(path, away).then(() => true))) === undefined) return false;
      if (await isNew(away)) {
        await rename(away, path);
        return false;
      }
      await rm(away);
      return true;
    },
    async leftParts(label) {
      const names = (await ifPresent(readdir(partsFolder))) ?? [];
      const parts = await Promise.all(
        names
          .filter((name) => name.startsWith(`${label}.`) && name.endsWith('.part'))
          .map((name) => join(partsFolder, name))
          .map(async (path) => ({ path, sizeBytes: (await ifPresent(stat(path)))?.size ?? 0 })),
      );
      return parts.sort((a, b) => b.sizeBytes - a.sizeBytes);
    },
    async sweepParts() {
      const names = (await ifPresent(readdir(partsFolder))) ?? [];
      await Promise.all(
        names.map(async (name) => {
          const path = join(partsFolder, name);
          const touchedAtMs = (await ifPresent(lstat(path)))?.mtimeMs ?? Infinity;
          // A folder is what an assembly has left.
          if (Date.now() - touchedAtMs > ABANDONED_AFTER_MS) await rm(path, { recursive: true, force: true });
        }),
      );
    },
    async copyTo(asset, path) {
      await makeFolder(dirname(path));
      const part = `${path}.${randomUUID()}.part`;
      try {
        // With the mode that the person's umask leaves, and not the asset's own.
        await writeFile(part, '', { flag: 'wx' });
        await copyBytes(localPath(asset), part);
        await rename(part, path);
      } finally {
        await rm(part, { force: true });
      }
    },
  };
}

async function setTime(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now);
}

/** Fills a part file, which keeps its own mode: a copy that is read-only like its source could not be flushed. */
async function copyBytes(path: string, part: string): Promise<void> {
  const { mode } = await stat(part);
  await copyFile(path, part, constants.COPYFILE_FICLONE);
  await chmod(part, mode);
}
