import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, flushFile, ifPresent } from './durable-file';
import { modesBelow, setMode } from './modes';
import { type Store } from './store';
import { hashOf } from './take-key';

/** Pieces are removed if none was added for this long. The film can be made without them. */
const ABANDONED_AFTER_MS = 2 * 24 * 60 * 60 * 1000;

/** Pieces of a production's film that are rendered before the film is assembled. Each is stored under its recipe. */
export interface KeptPieces {
  /** Allows pieces to be kept until `close`. */
  open(): Promise<void>;
  /** Keeps what `write` puts into a file, unless the piece exists or the pieces are closed. */
  keep(recipe: string, write: (path: string) => Promise<unknown>): Promise<void>;
  /**
   * Hard-links a piece to a new path, so that removing the pieces does not remove it there. False if it cannot be
   * linked.
   */
  readonly link: (recipe: string, path: string) => Promise<boolean>;
  /** Removes the pieces, and keeps none until they are opened again. Called when the production has ended. */
  close(): Promise<void>;
}

export function createKeptPieces(store: Pick<Store, 'folder'>, productionId: string): KeptPieces {
  const folder = join(piecesFolder(store), hashOf(productionId).slice(0, 16));
  const pathOf = (recipe: string): string => join(folder, hashOf(recipe));
  const isThere = async (path: string): Promise<boolean> => (await ifPresent(stat(path))) !== undefined;
  return {
    async open() {
      await mkdir(folder, { recursive: true, mode: (await modesBelow(store.folder)).folder });
      const now = new Date();
      await utimes(folder, now, now);
    },
    async keep(recipe, write) {
      const path = pathOf(recipe);
      if (!(await isThere(folder)) || (await isThere(path))) return;
      const part = `${path}.${randomUUID()}.part`;
      try {
        await write(part);
        await setMode(part, (await modesBelow(store.folder)).file);
        await flushFile(part);
        await rename(part, path);
      } catch (error) {
        await rm(part, { force: true });
        // If the folder is gone, the pieces were closed meanwhile, and the part was removed with them.
        if (await isThere(folder)) throw error;
      }
    },
    link: (recipe, path) =>
      link(pathOf(recipe), path).then(
        () => true,
        // Only this process writes to that path. So the link had been made, and the answer to that call was lost.
        (error: unknown) => errorCode(error) === 'EEXIST',
      ),
    close: () => remove(folder),
  };
}

/** Removes pieces that no production will use, such as those of a terminated one. */
export async function sweepPieces(store: Pick<Store, 'folder'>): Promise<void> {
  const names = (await ifPresent(readdir(piecesFolder(store)))) ?? [];
  await Promise.all(
    names.map(async (name) => {
      const folder = join(piecesFolder(store), name);
      const touchedAtMs = (await ifPresent(stat(folder)))?.mtimeMs ?? Infinity;
      if (Date.now() - touchedAtMs > ABANDONED_AFTER_MS) await remove(folder);
    }),
  );
}

/** Removes the pieces of all productions, to free space. A film in progress keeps the pieces that it has linked. */
export async function removePieces(store: Pick<Store, 'folder'>): Promise<void> {
  await remove(piecesFolder(store));
}

/** Retries if a file is written into the folder meanwhile. */
async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

function piecesFolder({ folder }: Pick<Store, 'folder'>): string {
  return join(folder, 'pieces');
}
