import { z } from 'zod';
import { ifReadable, type Records } from '../records';

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
  /** Records the folder that a person named, so that later commands use it too. */
  noteFolder(id: string, folder: string): Promise<void>;
  notePublication(id: string, publication: Publication): Promise<void>;
}

export function createNotedOutPlaces(records: Records): NotedOutPlaces {
  const keyOf = (id: string): string => `out-places/${id}`;
  async function noted(id: string): Promise<OutPlace> {
    // Treat an unreadable record as missing, so that `status` still works. The next publication writes it again.
    const read = await ifReadable(async () => OutPlace.optional().parse(await records.read(keyOf(id))));
    return read?.value ?? {};
  }
  return {
    noted,
    noteFolder: async (id, folder) => records.replace(keyOf(id), { ...(await noted(id)), named: folder }),
    notePublication: async (id, put) => records.replace(keyOf(id), { ...(await noted(id)), put }),
  };
}
