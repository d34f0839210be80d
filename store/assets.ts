import { type Readable } from 'node:stream';
import { type AssetRef } from '../contracts/asset';
import { type HashedBytes } from './disk/byte-hash';

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
   * Removes part files that were not written for two days, for example after a crash. Puts back assets that a killed
   * `remove` has left as part files. Workers call it at their start and then daily.
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

/**
 * The same assets with `methods` in place of their own. A spread is not enough, since it does not copy the methods of a
 * class.
 */
export function wrapAssets(assets: Assets, methods: Partial<Assets>): Assets {
  return {
    putFile: (path, describe) => assets.putFile(path, describe),
    putBytes: (bytes, description) => assets.putBytes(bytes, description),
    create: (label, write, describe) => assets.create(label, write, describe),
    newPart: (label) => assets.newPart(label),
    commitPart: (part, describe, written) => assets.commitPart(part, describe, written),
    leftParts: (label) => assets.leftParts(label),
    sweepParts: () => assets.sweepParts(),
    remove: (asset, before) => assets.remove(asset, before),
    has: (asset) => assets.has(asset),
    sizeOf: (asset) => assets.sizeOf(asset),
    open: (asset, range) => assets.open(asset, range),
    readBytes: (asset) => assets.readBytes(asset),
    withLocalFile: (asset, use) => assets.withLocalFile(asset, use),
    withLocalFiles: (several, use) => assets.withLocalFiles(several, use),
    shownPath: (asset) => assets.shownPath(asset),
    copyTo: (asset, path) => assets.copyTo(asset, path),
    ...methods,
  };
}

export async function readText(assets: Pick<Assets, 'readBytes'>, asset: Pick<AssetRef, 'sha256'>): Promise<string> {
  return (await assets.readBytes(asset)).toString();
}

export async function readJson(assets: Pick<Assets, 'readBytes'>, asset: Pick<AssetRef, 'sha256'>): Promise<unknown> {
  return JSON.parse(await readText(assets, asset)) as unknown;
}
