import { rename, rm } from 'node:fs/promises';
import { type Assets } from './assets';
import { flushFile } from './durable-file';
import { hashOf } from './take-key';

/** Until it is whole nobody is to find it. */
const UNFINISHED = 'unfinished-piece';

/**
 * Pieces of a production's film that were rendered before the film is put together, by the recipe that each is made by.
 *
 * They lie among the part files: what nobody comes to use is swept away with those.
 */
export interface KeptPieces {
  /** The path of a piece; undefined where nobody has kept one. */
  readonly find: (recipe: string) => Promise<string | undefined>;
  /** Keeps what `write` leaves in a part file. */
  keep(recipe: string, write: (part: string) => Promise<unknown>): Promise<void>;
  /** Removes all of them: the film is made. */
  clear(): Promise<void>;
}

export function createKeptPieces(assets: Assets, productionId: string): KeptPieces {
  const label = `piece-${hashOf(productionId).slice(0, 16)}`;
  const labelOf = (recipe: string): string => `${label}.${hashOf(recipe)}`;
  return {
    find: async (recipe) => (await assets.leftParts(labelOf(recipe)))[0]?.path,
    async keep(recipe, write) {
      const part = await assets.newPart(UNFINISHED);
      try {
        await write(part);
        await flushFile(part);
        await rename(part, part.replace(UNFINISHED, labelOf(recipe)));
      } finally {
        await rm(part, { force: true });
      }
    },
    async clear() {
      await Promise.all((await assets.leftParts(label)).map(({ path }) => rm(path, { force: true })));
    },
  };
}
