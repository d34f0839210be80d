import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Readable } from 'node:stream';
import { type AssetRef } from '../contracts/asset';
import { beginHash, hashFile, type HashedBytes } from './disk/byte-hash';
import { errorCode, flushFile, ifPresent, makeFolder, moveDurably } from './disk/durable-file';
import { modesBelow, setMode } from './disk/modes';

/** The properties of an asset that probing determines. */
export type AssetDescription = Omit<AssetRef, 'sha256' | 'sizeBytes'>;

/** Probes a file before it becomes an asset. Throws if the file must not become an asset. */
export type Describe = (path: string) => Promise<AssetDescription>;

/**
 * A part file's size differs from the number of bytes that its writer wrote, so another process has changed the file.
 */
export class PartChanged extends Error {
  override readonly name = 'PartChanged';

  constructor(writtenBytes: number, sizeBytes: number) {
    super(`${writtenBytes} bytes were written to a part file, but its size is ${sizeBytes}`);
  }
}

/**
 * Part files that were not written for this long are abandoned. A download continues part files of its earlier attempts
 * for at most a day. Any other activity attempt lasts at most six hours.
 */
const ABANDONED_AFTER_MS = 2 * 24 * 60 * 60 * 1000;

/** The path of an asset's local file. */
export type PathOf = (asset: Pick<AssetRef, 'sha256'>) => string;

/**
 * Files stored under the SHA-256 of their bytes.
 *
 * An asset never changes, and appears only when complete. Two writers of the same bytes produce one asset. Part files
 * are local scratch files from which assets are made. Programs such as ffmpeg read assets as local files.
 */
export interface Assets {
  /** Copies a file into the store. */
  putFile(path: string, describe: Describe): Promise<AssetRef>;
  putBytes(bytes: Uint8Array, description: AssetDescription): Promise<AssetRef>;
  /** Makes an asset from a part file that `write` fills. The part file is removed in any case. */
  create(label: string, write: (part: string) => Promise<unknown>, describe: Describe): Promise<AssetRef>;
  /**
   * Creates an empty part file at a new path. A later attempt may find the part file by `label` and continue it, as
   * downloads do.
   */
  newPart(label: string): Promise<string>;
  /**
   * Turns a part file into an asset. The part file is removed in any case.
   *
   * @param written hash and size that the writer computed while writing. Default: the part is read and hashed.
   * @throws PartChanged if the part's size differs from the written size.
   */
  commitPart(part: string, describe: Describe, written?: HashedBytes): Promise<AssetRef>;
  /** Part files with this label that earlier attempts may have left, largest first. */
  leftParts(label: string): Promise<readonly { readonly path: string; readonly sizeBytes: number }[]>;
  /**
   * Removes part files that were not written for two days, for example after a crash. Workers call it at their start
   * and then daily.
   */
  sweepParts(): Promise<void>;
  /**
   * Removes an asset, unless it was stored, or stored again, at or after `before`. False if it was not removed.
   */
  remove(asset: Pick<AssetRef, 'sha256'>, before: Date): Promise<boolean>;
  /** True if the asset exists in its full size. The bytes are not hashed. */
  has(asset: AssetRef): Promise<boolean>;
  /**
   * The size of the stored bytes; null if there are none. It differs from the asset's `sizeBytes` if the bytes were
   * altered.
   */
  sizeOf(asset: Pick<AssetRef, 'sha256'>): Promise<number | null>;
  /**
   * Opens the asset for reading. If it does not exist, the stream fails.
   *
   * @param range in bytes, both ends inclusive. Default: the whole asset.
   */
  open(asset: Pick<AssetRef, 'sha256'>, range?: { readonly start: number; readonly end: number }): Readable;
  readBytes(asset: Pick<AssetRef, 'sha256'>): Promise<Buffer>;
  /**
   * Calls `use` with the path of a file that has the bytes. `use` must not change the file, and the path is valid only
   * during the call.
   */
  withLocalFile<T>(asset: Pick<AssetRef, 'sha256'>, use: (path: string) => Promise<T>): Promise<T>;
  /** Like `withLocalFile` for several assets: `use` gets a function that returns an asset's path. */
  withLocalFiles<T>(assets: readonly Pick<AssetRef, 'sha256'>[], use: (pathOf: PathOf) => Promise<T>): Promise<T>;
  /**
   * The location of the bytes in messages to a person, such as the absolute path of a local file. Callers must not read
   * the bytes there.
   */
  shownPath(asset: Pick<AssetRef, 'sha256'>): string;
  /** Copies the asset to `path`. The copy is never a hard link: a person's edit in place must not change the store. */
  copyTo(asset: AssetRef, path: string): Promise<void>;
}

export function createFolderAssets(folder: string): Assets {
  const assetsFolder = join(folder, 'assets');
  const localPath: PathOf = ({ sha256 }) => join(assetsFolder, sha256.slice(0, 2), sha256);
  const parts = createPartFiles(folder);

  async function has(asset: AssetRef): Promise<boolean> {
    return (await ifPresent(stat(localPath(asset))))?.size === asset.sizeBytes;
  }

  /**
   * Sets the asset's modification time to now, as if it were stored again. False if the asset is missing or incomplete,
   * or if another user owns its file: only the owner may set times. The caller then stores the bytes again.
   */
  async function renew(asset: AssetRef): Promise<boolean> {
    const renewed = setTime(localPath(asset)).then(
      () => true,
      (error: unknown) => {
        if (errorCode(error) === 'EPERM') return false;
        throw error;
      },
    );
    return (await ifPresent(renewed)) === true && has(asset);
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
        // A program may have recreated the part with another mode.
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
    commitPart(await parts.newPart(label), async (part) => {
      await write(part);
      return describe(part);
    });

  return {
    ...parts,
    create,
    commitPart,
    has,
    sizeOf: async (asset) => (await ifPresent(stat(localPath(asset))))?.size ?? null,
    open: (asset, range) => createReadStream(localPath(asset), range),
    readBytes: (asset) => readFile(localPath(asset)),
    withLocalFile: (asset, use) => use(localPath(asset)),
    withLocalFiles: (_assets, use) => use(localPath),
    shownPath: localPath,
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
      return commitPart(await parts.newPart('bytes'), write, written);
    },
    async remove(asset, before) {
      const path = localPath(asset);
      const isNew = async (file: string): Promise<boolean> => (await stat(file)).mtime >= before;
      if ((await ifPresent(isNew(path))) !== false) return false;
      // Move the asset away first. A process that stores the same bytes meanwhile either renewed the asset before the
      // move, or finds no asset and writes it again.
      const away = await parts.unusedPath('pruned');
      if ((await ifPresent(rename(path, away).then(() => true))) === undefined) return false;
      if (await isNew(away)) {
        await rename(away, path);
        return false;
      }
      await rm(away);
      return true;
    },
    async copyTo(asset, path) {
      await makeFolder(dirname(path));
      const part = `${path}.${randomUUID()}.part`;
      try {
        // The umask, not the asset, decides the mode of the copy.
        await writeFile(part, '', { flag: 'wx' });
        await copyBytes(localPath(asset), part);
        await rename(part, path);
      } finally {
        await rm(part, { force: true });
      }
    },
  };
}

type PartFiles = Pick<Assets, 'newPart' | 'leftParts' | 'sweepParts'>;

/** The part files of a store's folder. */
function createPartFiles(folder: string): PartFiles & { unusedPath(label: string): Promise<string> } {
  const partsFolder = join(folder, 'parts');

  /** Returns an unused path for a part file, and creates its folder if it is missing. */
  async function unusedPath(label: string): Promise<string> {
    await mkdir(partsFolder, { recursive: true, mode: (await modesBelow(folder)).folder });
    return join(partsFolder, `${label}.${randomUUID()}.part`);
  }
  return {
    unusedPath,
    async newPart(label) {
      const path = await unusedPath(label);
      await writeFile(path, '', { flag: 'wx', mode: (await modesBelow(folder)).file });
      return path;
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
          // The entry may be a folder that a crashed assembly left.
          if (Date.now() - touchedAtMs > ABANDONED_AFTER_MS) await rm(path, { recursive: true, force: true });
        }),
      );
    },
  };
}

export async function readText(assets: Pick<Assets, 'readBytes'>, asset: Pick<AssetRef, 'sha256'>): Promise<string> {
  return (await assets.readBytes(asset)).toString();
}

export async function readJson(assets: Pick<Assets, 'readBytes'>, asset: Pick<AssetRef, 'sha256'>): Promise<unknown> {
  return JSON.parse(await readText(assets, asset)) as unknown;
}

async function setTime(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now);
}

/**
 * Copies a file's bytes into a part file. `copyFile` also copies the mode, so the part file's own mode is restored: a
 * read-only part file could not be flushed.
 */
async function copyBytes(path: string, part: string): Promise<void> {
  const { mode } = await stat(part);
  await copyFile(path, part, constants.COPYFILE_FICLONE);
  await chmod(part, mode);
}
