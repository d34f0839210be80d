import { type FileHandle, mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from './temporary-folder';

/** A folder that shows what a power cut would leave. */
export interface FlushedDisk {
  readonly folder: string;
  /** Copies only what was flushed so far to another folder. The disk itself keeps working. */
  cutPower(): Promise<string>;
  /** Delays later flushes of this folder, as a busy disk does. */
  slowDown(folder: string, delayMs: number): void;
  /** Call it at the end of the test. */
  close(): Promise<void>;
}

/** A folder's content when it was flushed: names and their inodes. */
type Entries = ReadonlyMap<string, { readonly inode: bigint; readonly isFolder: boolean }>;

/**
 * Watches flushes of all files and folders in a new folder.
 *
 * It models the worst disk that POSIX allows. A file has the bytes of its last flush, or none. A folder has the names
 * of its last flush, or none. So a name survives a power cut only if its folder was flushed after it was created, and
 * every folder above too. Files and operations are real; only Node's flushes are intercepted.
 */
export async function watchFlushes(): Promise<FlushedDisk> {
  const folder = await temporaryFolder();
  const bytes = new Map<bigint, Buffer>();
  const entries = new Map<bigint, Entries>();
  /** Files that stay open while the disk is watched, so that no new file gets the inode of a removed one. */
  const held: FileHandle[] = [];

  const delaysMs = new Map<string, number>();

  /** Records what is there when a flush begins; it is on the disk when the flush has ended. */
  async function watched(handle: FileHandle, flush: () => Promise<void>): Promise<void> {
    const { ino } = await handle.stat({ bigint: true });
    const path = await pathOf(ino, folder);
    if (path === undefined) return flush();
    const isFolder = (await stat(path)).isDirectory();
    const names = isFolder ? new Map((await entriesOf(path)).map(({ name, ...entry }) => [name, entry])) : undefined;
    const contents = isFolder ? undefined : await readFile(path);
    if (!isFolder) held.push(await open(path));
    await sleep(delaysMs.get(path) ?? 0);
    await flush();
    if (names !== undefined) entries.set(ino, names);
    if (contents !== undefined) bytes.set(ino, contents);
  }

  async function rebuild(inode: bigint, path: string): Promise<void> {
    for (const [name, entry] of entries.get(inode) ?? []) {
      const copy = join(path, name);
      if (!entry.isFolder) await writeFile(copy, bytes.get(entry.inode) ?? '');
      else {
        await mkdir(copy);
        await rebuild(entry.inode, copy);
      }
    }
  }

  const unwatch = await watchSync(watched);
  return {
    folder,
    async cutPower() {
      const left = await temporaryFolder();
      await rebuild((await stat(folder, { bigint: true })).ino, left);
      return left;
    },
    slowDown(path, delayMs) {
      delaysMs.set(path, delayMs);
    },
    async close() {
      unwatch();
      await Promise.all(held.map((handle) => handle.close()));
    },
  };
}

/** Intercepts `FileHandle.sync`, through which every flush goes, including that of `writeFile`. */
async function watchSync(
  onSync: (handle: FileHandle, flush: () => Promise<void>) => Promise<void>,
): Promise<() => void> {
  const handle = await open(__filename);
  const prototype = Object.getPrototypeOf(handle) as Pick<FileHandle, 'sync'>;
  await handle.close();
  const { sync } = prototype;
  prototype.sync = async function (this: FileHandle) {
    await onSync(this, () => sync.call(this));
  };
  return () => {
    prototype.sync = sync;
  };
}

async function entriesOf(folder: string): Promise<readonly { name: string; inode: bigint; isFolder: boolean }[]> {
  const names = await readdir(folder);
  const found = await Promise.all(
    names.map(async (name) => {
      const stats = await stat(join(folder, name), { bigint: true }).catch(() => undefined);
      return stats && { name, inode: stats.ino, isFolder: stats.isDirectory() };
    }),
  );
  return found.filter((entry) => entry !== undefined);
}

async function pathOf(inode: bigint, folder: string): Promise<string | undefined> {
  if ((await stat(folder, { bigint: true })).ino === inode) return folder;
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.inode === inode) return path;
    const below = entry.isFolder ? await pathOf(inode, path) : undefined;
    if (below !== undefined) return below;
  }
  return undefined;
}
