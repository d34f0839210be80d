import { z } from 'zod';
import { ifReadable, isDamaged, type Records } from '../records';

/** The folder to which a render was published, and its film there. Paths are absolute. */
const Publication = z.object({
  folder: z.string(),
  renderId: z.string(),
  /** Null if there was no film; always null for a batch. */
  film: z.object({ path: z.string(), sha256: z.string() }).nullable(),
});
export type Publication = z.infer<typeof Publication>;

const OutPlace = z.looseObject({
  /** Absolute path of the folder that a person named last. */
  named: z.string().optional(),
  /** The last publication. */
  put: Publication.optional(),
});
export type OutPlace = z.infer<typeof OutPlace>;

/** The folders of the published results of productions and batches. */
export interface NotedOutPlaces {
  noted(id: string): Promise<OutPlace>;
  /**
   * Records the folder that a person named, so that later commands use it too. Like `notePublication`, it replaces a
   * damaged record. @throws read errors, which may be temporary.
   */
  noteFolder(id: string, folder: string): Promise<void>;
  notePublication(id: string, publication: Publication): Promise<void>;
}

export function createNotedOutPlaces(records: Records): NotedOutPlaces {
  const keyOf = (id: string): string => `out-places/${id}`;
  const read = async (id: string): Promise<OutPlace> => OutPlace.optional().parse(await records.read(keyOf(id))) ?? {};
  async function noted(id: string): Promise<OutPlace> {
    // Treat an unreadable record as missing, so that `status` still works.
    const found = await ifReadable(() => read(id));
    return found?.value ?? {};
  }
  async function note(id: string, fields: OutPlace): Promise<void> {
    const before = await read(id).catch((error: unknown) => {
      // After another error the record may still be whole.
      if (!isDamaged(error)) throw error;
      return {};
    });
    await records.replace(keyOf(id), { ...before, ...fields });
  }
  return {
    noted,
    noteFolder: (id, folder) => note(id, { named: folder }),
    notePublication: (id, put) => note(id, { put }),
  };
}
