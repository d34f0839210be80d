import { lstat, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Manifest } from '../../contracts/manifest';
import { ifPresent, type OutPlace, type Publication, type StoreView } from '../../store';
import { SHEET_NAME } from './out-names';
import { writtenHash } from './out-files';
import { absolute } from '../wording/working-folder';

/** Parent of the default out folders, in the working folder. */
const OUT = 'out';

type FolderRecords = Pick<StoreView, 'outPlaces' | 'runs' | 'schedules'>;

/** Out folders of productions and batches. */
export interface OutFolders {
  /**
   * Absolute path of the folder to publish into: `named`, else the folder that was named last, else the default.
   *
   * @param named the folder that the command names. A relative path starts from the working folder.
   */
  folderOf(id: string, named?: string): Promise<string>;
  /** The folder of the last publication, else the folder to publish into; null if it has no file `name`. */
  folderWith(id: string, name: string): Promise<string | null>;
  /** The folder of the last publication; null if there is none, or if the folder is gone. */
  publishedFolder(id: string): Promise<string | null>;
  /** The folder that a printed command must name by `--out`; undefined if the default applies. */
  nonDefaultFolder(id: string): Promise<string | undefined>;
}

export function createOutFolders(store: FolderRecords): OutFolders {
  const { outPlaces } = store;
  const lastOrDefaultFolder = async (id: string): Promise<string> =>
    (await outPlaces.noted(id)).named ?? defaultFolder(store, id);
  return {
    folderOf: (id, named) => (named === undefined ? lastOrDefaultFolder(id) : Promise.resolve(absolute(named))),
    async folderWith(id, name) {
      const folder = (await outPlaces.noted(id)).put?.folder ?? (await lastOrDefaultFolder(id));
      return (await pathOfFile(join(folder, name))) === null ? null : folder;
    },
    async publishedFolder(id) {
      const folder = (await outPlaces.noted(id)).put?.folder;
      const isThere = folder !== undefined && (await ifPresent(stat(folder)))?.isDirectory() === true;
      return isThere ? folder : null;
    },
    async nonDefaultFolder(id) {
      const { named } = await outPlaces.noted(id);
      return named === undefined || named === (await defaultFolder(store, id)) ? undefined : named;
    },
  };
}

/** The paths of a production's published film and contact sheet, if they still exist; null if neither does. */
export async function publishedFiles(
  { put }: OutPlace,
  film: { readonly sha256: string } | null,
): Promise<Manifest['out']> {
  if (put === undefined) return null;
  const { folder } = put;
  const sheet = await pathOfFile(join(folder, SHEET_NAME));
  const filmPath = film === null ? null : await publishedFilm(put, film.sha256);
  return sheet === null && filmPath === null ? null : { folder, film: filmPath, sheet };
}

/** The path of the film; null if another film was published, or if the file is gone or Dailies has replaced it. */
async function publishedFilm({ folder, film }: Publication, sha256: string): Promise<string | null> {
  if (film?.sha256 !== sha256) return null;
  return (await writtenHash(folder, relative(folder, film.path))) === sha256 ? pathOfFile(film.path) : null;
}

/** The path itself; null if there is no such file. */
async function pathOfFile(path: string): Promise<string | null> {
  return (await ifPresent(lstat(path)))?.isFile() === true ? path : null;
}

/** `out/ID`. For a schedule's run: a subfolder of the schedule's folder, named after the run's time. */
async function defaultFolder({ runs, schedules }: FolderRecords, id: string): Promise<string> {
  const run = await runs.byId(id);
  if (run === undefined) return absolute(OUT, id);
  const { out } = (await schedules.last(run.schedule)) ?? {};
  return join(out ?? absolute(OUT, run.schedule), id.slice(run.schedule.length + 1));
}
