import { lstat, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { type Manifest } from '../../contracts/manifest';
import { ifPresent, ifReadable, type Records, runOf } from '../../store';
import { SHEET_NAME } from './out-names';
import { hashPut } from './own-files';
import { createScheduleRecords } from './schedule-records';
import { absolute } from '../wording/working-folder';

/** Default out folder, in the working folder. */
const OUT = 'out';

/** The last publication: where, and of which render. Paths are absolute. */
const Put = z.object({
  folder: z.string(),
  renderId: z.string(),
  /** Null if there was no film; always null for a batch. */
  film: z.object({ path: z.string(), sha256: z.string() }).nullable(),
});
export type Put = z.infer<typeof Put>;

const OutPlace = z.looseObject({
  /** Absolute path of the folder that a person named last. */
  named: z.string().optional(),
  put: Put.optional(),
});
export type OutPlace = z.infer<typeof OutPlace>;

/** Out folders of productions and batches, as the store remembers them. */
export interface OutPlaces {
  noted(id: string): Promise<OutPlace>;
  /** Makes later commands use this folder too. */
  name(id: string, folder: string): Promise<void>;
  notePut(id: string, put: Put): Promise<void>;
  /**
   * Absolute path of the folder to publish into: the one named now, else the one named last, else the default.
   *
   * @param named by the command; a relative path starts from the working folder.
   */
  folderOf(id: string, named?: string): Promise<string>;
  /** The folder published into, or to be published into; null if it does not have the named file. */
  folderWith(id: string, name: string): Promise<string | null>;
  /** The folder published into; null if there is none, or it is gone. */
  liesIn(id: string): Promise<string | null>;
  /** The folder that a printed command must name; undefined if it is the default. */
  namedElsewhere(id: string): Promise<string | undefined>;
}

export function createOutPlaces(records: Records): OutPlaces {
  const keyOf = (id: string): string => `out-places/${id}`;
  const plainFolder = async (id: string): Promise<string> => (await noted(id)).named ?? defaultFolder(records, id);
  async function noted(id: string): Promise<OutPlace> {
    // An unreadable record must not prevent a status. The files only have to be searched for again.
    const read = await ifReadable(async () => OutPlace.optional().parse(await records.read(keyOf(id))));
    return read?.value ?? {};
  }
  return {
    noted,
    name: async (id, folder) => records.replace(keyOf(id), { ...(await noted(id)), named: folder }),
    notePut: async (id, put) => records.replace(keyOf(id), { ...(await noted(id)), put }),
    folderOf: (id, named) => (named === undefined ? plainFolder(id) : Promise.resolve(absolute(named))),
    async folderWith(id, name) {
      const folder = (await noted(id)).put?.folder ?? (await plainFolder(id));
      return (await ifThere(join(folder, name))) === null ? null : folder;
    },
    async liesIn(id) {
      const folder = (await noted(id)).put?.folder;
      const isThere = folder !== undefined && (await ifPresent(stat(folder)))?.isDirectory() === true;
      return isThere ? folder : null;
    },
    async namedElsewhere(id) {
      const { named } = await noted(id);
      return named === undefined || named === (await defaultFolder(records, id)) ? undefined : named;
    },
  };
}

/** The published files of a production that still exist; null if there are none. */
export async function lyingOut({ put }: OutPlace, film: { readonly sha256: string } | null): Promise<Manifest['out']> {
  if (put === undefined) return null;
  const { folder } = put;
  const sheet = await ifThere(join(folder, SHEET_NAME));
  const filmPath = film === null ? null : await ifFilm(put, film.sha256);
  return sheet === null && filmPath === null ? null : { folder, film: filmPath, sheet };
}

/** Null if another production has published its film under the same name. */
async function ifFilm({ folder, film }: Put, sha256: string): Promise<string | null> {
  if (film?.sha256 !== sha256) return null;
  return (await hashPut(folder, relative(folder, film.path))) === sha256 ? ifThere(film.path) : null;
}

async function ifThere(path: string): Promise<string | null> {
  return (await ifPresent(lstat(path)))?.isFile() === true ? path : null;
}

/** The default folder. For a schedule's run: the schedule's folder, with the run's time as a subfolder. */
async function defaultFolder(records: Records, id: string): Promise<string> {
  const run = await runOf(records, id);
  if (run === undefined) return absolute(OUT, id);
  const { out } = (await createScheduleRecords(records).last(run.schedule)) ?? {};
  return join(out ?? absolute(OUT, run.schedule), id.slice(run.schedule.length + 1));
}
