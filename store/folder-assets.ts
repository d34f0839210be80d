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
import { type AssetDescription, type Assets, type Describe, PartChanged, type PathOf } from './assets';
import { beginHash, hashFile, type HashedBytes } from './disk/byte-hash';
import { errorCode, flushFile, ifPresent, makeFolder, moveDurably } from './disk/durable-file';
import { modesBelow, setMode } from './disk/modes';

/**
 * Part files that were not written for this long are abandoned. A download of an output continues part files of its
 * earlier attempts for at most a day. Any other activity attempt lasts at most six hours.
 */
const ABANDONED_AFTER_MS = 2 * 24 * 60 * 60 * 1000;

/** Name of an asset that `remove` has moved to the parts folder. Older versions wrote names without the hash. */
const MOVED_AWAY = /^pruned\.([0-9a-f]{64})\./;

type Hashed = Pick<AssetRef, 'sha256'>;

/** Assets and part files in a store's folder. */
export class FolderAssets implements Assets {
  readonly #folder: string;
  readonly #assetsFolder: string;
  readonly #partsFolder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#assetsFolder = join(folder, 'assets');
    this.#partsFolder = join(folder, 'parts');
  }

  putFile(path: string, describe: Describe): Promise<AssetRef> {
    return this.create('file', (part) => copyBytes(path, part), describe);
  }

  async putBytes(bytes: Uint8Array, description: AssetDescription): Promise<AssetRef> {
    const hash = beginHash();
    hash.add(bytes);
    const written = hash.end();
    const asset = { ...written, ...description };
    if (await this.#renew(asset)) return asset;
    const write = async (part: string): Promise<AssetDescription> => {
      await writeFile(part, bytes);
      return description;
    };
    return this.commitPart(await this.newPart('bytes'), write, written);
  }

  async create(label: string, write: (part: string) => Promise<unknown>, describe: Describe): Promise<AssetRef> {
    return this.commitPart(await this.newPart(label), async (part) => {
      await write(part);
      return describe(part);
    });
  }

  async newPart(label: string): Promise<string> {
    const path = await this.#unusedPath(label);
    await writeFile(path, '', { flag: 'wx', mode: (await modesBelow(this.#folder)).file });
    return path;
  }

  async commitPart(part: string, describe: Describe, written?: HashedBytes): Promise<AssetRef> {
    try {
      const description = await describe(part);
      const sizeBytes = (await stat(part)).size;
      if (written !== undefined && written.sizeBytes !== sizeBytes) throw new PartChanged(written.sizeBytes, sizeBytes);
      const sha256 = written?.sha256 ?? (await hashFile(part));
      const asset = { sha256, sizeBytes, ...description };
      if (await this.#renew(asset)) {
        await rm(part, { force: true });
      } else {
        await setTime(part);
        // A program may have recreated the part with another mode.
        await setMode(part, (await modesBelow(this.#folder)).file);
        await flushFile(part);
        await moveDurably(part, this.#localPath(asset), this.#folder);
      }
      return asset;
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }

  async leftParts(label: string): ReturnType<Assets['leftParts']> {
    const names = (await ifPresent(readdir(this.#partsFolder))) ?? [];
    const parts = await Promise.all(
      names
        .filter((name) => name.startsWith(`${label}.`) && name.endsWith('.part'))
        .map((name) => join(this.#partsFolder, name))
        .map(async (path) => ({ path, sizeBytes: (await ifPresent(stat(path)))?.size ?? 0 })),
    );
    return parts.sort((a, b) => b.sizeBytes - a.sizeBytes);
  }

  async sweepParts(): Promise<void> {
    const names = (await ifPresent(readdir(this.#partsFolder))) ?? [];
    await Promise.all(
      names.map(async (name) => {
        const path = join(this.#partsFolder, name);
        const sha256 = MOVED_AWAY.exec(name)?.[1];
        if (sha256 !== undefined) {
          await this.#putBack(path, { sha256 });
          return;
        }
        const touchedAtMs = (await ifPresent(lstat(path)))?.mtimeMs ?? Infinity;
        // The entry may be a folder that a crashed assembly left.
        if (Date.now() - touchedAtMs > ABANDONED_AFTER_MS) await rm(path, { recursive: true, force: true });
      }),
    );
  }

  async remove(asset: Hashed, before: Date): Promise<boolean> {
    const path = this.#localPath(asset);
    const isNew = async (file: string): Promise<boolean> => (await stat(file)).mtime >= before;
    if ((await ifPresent(isNew(path))) !== false) return false;
    // Move the asset away first. A process that stores the same bytes meanwhile either renewed the asset before the
    // move, or finds no asset and writes it again.
    const away = await this.#unusedPath(`pruned.${asset.sha256}`);
    if ((await ifPresent(rename(path, away).then(() => true))) === undefined) return false;
    // If a sweep has put the file back meanwhile, `away` is missing.
    if ((await ifPresent(isNew(away))) !== false) {
      await this.#putBack(away, asset);
      return false;
    }
    await rm(away, { force: true });
    return true;
  }

  async has(asset: AssetRef): Promise<boolean> {
    return (await ifPresent(stat(this.#localPath(asset))))?.size === asset.sizeBytes;
  }

  async sizeOf(asset: Hashed): Promise<number | null> {
    return (await ifPresent(stat(this.#localPath(asset))))?.size ?? null;
  }

  open(asset: Hashed, range?: { readonly start: number; readonly end: number }): Readable {
    return createReadStream(this.#localPath(asset), range);
  }

  readBytes(asset: Hashed): Promise<Buffer> {
    return readFile(this.#localPath(asset));
  }

  withLocalFile<T>(asset: Hashed, use: (path: string) => Promise<T>): Promise<T> {
    return use(this.#localPath(asset));
  }

  withLocalFiles<T>(_assets: readonly Hashed[], use: (pathOf: PathOf) => Promise<T>): Promise<T> {
    return use((asset) => this.#localPath(asset));
  }

  shownPath(asset: Hashed): string {
    return this.#localPath(asset);
  }

  async copyTo(asset: AssetRef, path: string): Promise<void> {
    await makeFolder(dirname(path));
    const part = `${path}.${randomUUID()}.part`;
    try {
      // The umask, not the asset, decides the mode of the copy.
      await writeFile(part, '', { flag: 'wx' });
      await copyBytes(this.#localPath(asset), part);
      await rename(part, path);
    } finally {
      await rm(part, { force: true });
    }
  }

  /**
   * Puts back an asset that `remove` has moved away. If `remove` crashed, the asset may have been stored again right
   * before the move, so a sweep puts it back in any case. If it is unused, the next prune finds it.
   *
   * An asset that was stored again after the move stays: its time protects it from a prune that is running.
   */
  async #putBack(away: string, asset: Hashed): Promise<void> {
    const path = this.#localPath(asset);
    if ((await ifPresent(lstat(path))) === undefined) await ifPresent(moveDurably(away, path, this.#folder));
    else await rm(away, { force: true });
  }

  /**
   * Sets the asset's modification time to now, as if it were stored again. False if the asset is missing or incomplete,
   * or if another user owns its file: only the owner may set times. The caller then stores the bytes again.
   */
  async #renew(asset: AssetRef): Promise<boolean> {
    const renewed = setTime(this.#localPath(asset)).then(
      () => true,
      (error: unknown) => {
        if (errorCode(error) === 'EPERM') return false;
        throw error;
      },
    );
    return (await ifPresent(renewed)) === true && this.has(asset);
  }

  /** Returns an unused path for a part file, and creates its folder if it is missing. */
  async #unusedPath(label: string): Promise<string> {
    await mkdir(this.#partsFolder, { recursive: true, mode: (await modesBelow(this.#folder)).folder });
    return join(this.#partsFolder, `${label}.${randomUUID()}.part`);
  }

  #localPath({ sha256 }: Hashed): string {
    return join(this.#assetsFolder, sha256.slice(0, 2), sha256);
  }
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
