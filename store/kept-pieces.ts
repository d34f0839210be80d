import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, flushFile, ifPresent } from './durable-file';
import { modesBelow, setMode } from './modes';
import { type Store } from './store';
import { hashOf } from './take-key';

/** Pieces of a production that no new one has joined for this long: its film may come, and is then made without them. */
const ABANDONED_AFTER_MS = 2 * 24 * 60 * 60 * 1000;

/** Pieces of a production's film that are rendered before the film is put together, by the recipe that each is made by. */
export interface KeptPieces {
  /** From now on they are kept. */
  open(): Promise<void>;
  /** Keeps what `write` leaves in a file, unless it is there already, or they are not kept any more. */
  keep(recipe: string, write: (path: string) => Promise<unknown>): Promise<void>;
  /** Links a piece to a new path; whoever removes the pieces then does not take it away. False where it cannot be had. */
  readonly link: (recipe: string, path: string) => Promise<boolean>;
  /** Removes them, and keeps none until they are opened again: the production has ended. */
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
        // Else they were closed meanwhile, and the part has gone with the others.
        if (await isThere(folder)) throw error;
      }
    },
    link: (recipe, path) =>
      link(pathOf(recipe), path).then(
        () => true,
        // Nobody else writes there: it was linked, and the answer lost on its way from the disk.
        (error: unknown) => errorCode(error) === 'EEXIST',
      ),
    close: () => remove(folder),
  };
}

/** Removes pieces that no production comes for any more, as one that was terminated. */
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

/** Removes all of them, of every production: the space is needed. A film that is being made keeps what it has linked. */
export async function removePieces(store: Pick<Store, 'folder'>): Promise<void> {
  await remove(piecesFolder(store));
}

/** Also where something is just written into it. */
async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

function piecesFolder({ folder }: Pick<Store, 'folder'>): string {
  return join(folder, 'pieces');
}
