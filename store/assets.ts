import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Readable } from 'node:stream';
import { type AssetRef } from '../contracts/asset';
import { beginHash, hashFile, type HashedBytes } from './byte-hash';
import { flushFile, ifPresent, makeFolder, moveDurably } from './durable-file';
import { modesBelow, setMode } from './modes';

/** What probing found out about the bytes. */
export type AssetDescription = Omit<AssetRef, 'sha256' | 'sizeBytes'>;

/** Probes bytes before they become an asset. Throws if they must not become one. */
export type Describe = (path: string) => Promise<AssetDescription>;

/** Another process has written to a part file, or removed and recreated it. */
export class PartChanged extends Error {
  override readonly name = 'PartChanged';

  constructor(writtenBytes: number, sizeBytes: number) {
    super(`${writtenBytes} bytes were written to a part file, and it holds ${sizeBytes}`);
  }
}

/** Age at which a part file is abandoned. No activity lasts longer than a day, with all its attempts. */
const ABANDONED_AFTER_MS = 2 * 24 * 60 * 60 * 1000;

/**
 * Files by SHA-256.
 *
 * An asset never changes, and is never visible half written: it is a part file that was flushed and renamed. Two
 * writers of the same bytes produce one asset.
 */
export interface Assets {
  /** Copies a person's file into the store. */
  putFile(path: string, describe: Describe): Promise<AssetRef>;
  putBytes(bytes: Uint8Array, description: AssetDescription): Promise<AssetRef>;
  /** Makes an asset of what `write` puts into a part file. The part file is removed in any case. */
  create(label: string, write: (part: string) => Promise<unknown>, describe: Describe): Promise<AssetRef>;
  /**
   * Creates an empty part file for bytes that a later attempt may continue. The path is unique to the caller. `label`
   * groups the parts of one download.
   */
  newPart(label: string): Promise<string>;
  /**
   * Turns a part file into an asset. The part file is removed in any case.
   *
   * @param written the hash that the part's only writer computed while writing. Default: the part is read and hashed.
   * @throws PartChanged if the part's size is not the written size.
   */
  commitPart(part: string, describe: Describe, written?: HashedBytes): Promise<AssetRef>;
  /** Part files that earlier attempts left under the label, largest first. */
  leftParts(label: string): Promise<readonly { readonly path: string; readonly sizeBytes: number }[]>;
  /**
   * Removes part files that nothing has touched for two days, such as those of a crash. Called when a worker starts.
   */
  sweepParts(): Promise<void>;
  /**
   * Removes the bytes, unless they were put into the store at or after `before`, even as a copy of bytes that were
   * there. False if they stay or do not exist.
   */
  remove(asset: Pick<AssetRef, 'sha256'>, before: Date): Promise<boolean>;
  /** True if the bytes are there in full length. */
  has(asset: AssetRef): Promise<boolean>;
  open(asset: AssetRef): Readable;
  /** A read-only path for programs that read files, such as ffmpeg. */
  localPath(asset: Pick<AssetRef, 'sha256'>): string;
  /** Copies the asset to `path`. Never a hard link: a person's edit in place must not change the store. */
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

  /** Sets the time at which the asset was last put. False if the asset is not there. */
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
        // A program that wrote the part may have recreated it.
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
      // Move it away first: a process that puts the same bytes now either renews this file, or does not find it and
      // writes it.
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
          // An assembly leaves a folder.
          if (Date.now() - touchedAtMs > ABANDONED_AFTER_MS) await rm(path, { recursive: true, force: true });
        }),
      );
    },
    async copyTo(asset, path) {
      await makeFolder(dirname(path));
      const part = `${path}.${randomUUID()}.part`;
      try {
        // The copy gets the mode that the person's umask leaves, not the asset's.
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

/** Fills a part file and keeps its mode: a copy that is read-only like its source could not be flushed. */
async function copyBytes(path: string, part: string): Promise<void> {
  const { mode } = await stat(part);
  await copyFile(path, part, constants.COPYFILE_FICLONE);
  await chmod(part, mode);
}
