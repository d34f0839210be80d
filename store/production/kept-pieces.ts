import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, flushFile, ifPresent } from '../disk/durable-file';
import { modesBelow, setMode } from '../disk/modes';
import { hashOf } from '../ledger/take-key';

/** Pieces are abandoned after this long without a new piece or an `open`. A film can be made without them. */
const ABANDONED_AFTER_MS = 2 * 24 * 60 * 60 * 1000;

/** Pieces of a film, rendered before the film is assembled. Each is stored under its recipe (`pieceRecipe`). */
export interface KeptPieces {
  /** Makes `keep` store pieces, until `close`. */
  open(): Promise<void>;
  /** Stores the file that `write` makes. Does nothing if the piece exists or the pieces are closed. */
  keep(recipe: string, write: (path: string) => Promise<unknown>): Promise<void>;
  /** Hard-links a piece to `path`, so that the piece outlives `close`. Returns false if the link cannot be made. */
  readonly link: (recipe: string, path: string) => Promise<boolean>;
  /** Removes the pieces. Until the next `open`, `keep` stores nothing. */
  close(): Promise<void>;
}

/** @param scratch local folder for pieces, on the file system of the paths that `link` creates. */
export function createKeptPieces(scratch: string, productionId: string): KeptPieces {
  const folder = join(piecesFolder(scratch), hashOf(productionId).slice(0, 16));
  const pathOf = (recipe: string): string => join(folder, hashOf(recipe));
  const isThere = async (path: string): Promise<boolean> => (await ifPresent(stat(path))) !== undefined;
  return {
    async open() {
      await mkdir(folder, { recursive: true, mode: (await modesBelow(scratch)).folder });
      const now = new Date();
      await utimes(folder, now, now);
    },
    async keep(recipe, write) {
      const path = pathOf(recipe);
      if (!(await isThere(folder)) || (await isThere(path))) return;
      const part = `${path}.${randomUUID()}.part`;
      try {
        await write(part);
        await setMode(part, (await modesBelow(scratch)).file);
        await flushFile(part);
        await rename(part, path);
      } catch (error) {
        await rm(part, { force: true });
        // If the folder is gone, the pieces were closed meanwhile. That is not an error.
        if (await isThere(folder)) throw error;
      }
    },
    link: (recipe, path) =>
      link(pathOf(recipe), path).then(
        () => true,
        // A network file system may repeat a request whose answer was lost. Only this process writes to `path`, so
        // EEXIST means that the link was made.
        (error: unknown) => errorCode(error) === 'EEXIST',
      ),
    close: () => remove(folder),
  };
}

/** Removes abandoned pieces, such as those of a terminated production. */
export async function sweepPieces(scratch: string): Promise<void> {
  const names = (await ifPresent(readdir(piecesFolder(scratch)))) ?? [];
  await Promise.all(
    names.map(async (name) => {
      const folder = join(piecesFolder(scratch), name);
      const touchedAtMs = (await ifPresent(stat(folder)))?.mtimeMs ?? Infinity;
      if (Date.now() - touchedAtMs > ABANDONED_AFTER_MS) await remove(folder);
    }),
  );
}

/** Removes the pieces of all productions, to free space. A film in progress keeps the pieces that it has linked. */
export async function removePieces(scratch: string): Promise<void> {
  await remove(piecesFolder(scratch));
}

/** Retries if a file is written into the folder meanwhile. */
async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

function piecesFolder(scratch: string): string {
  return join(scratch, 'pieces');
}
