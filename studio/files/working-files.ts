import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Outline, outlineOf } from '../../client/production-file';
import { readSource } from './source-file';

/** A production, or a file that was not parsed. */
export interface WorkingFile {
  /** Path relative to the working folder, with slashes. */
  readonly name: string;
  /** Null if the file was not parsed, because all parsed files together would exceed `PARSED_BYTES_MAX`. */
  readonly outline: Outline | null;
}

/** Folders that are searched, without their subfolders. */
const FOLDERS = ['.', 'productions'] as const;

const FILES_MAX = 100;

/** Total size of the files that are parsed for a list. Parsing 3 MB takes about a second. */
const PARSED_BYTES_MAX = 1024 * 1024;

/** Lists at most `FILES_MAX` productions: first the working folder, then `productions`, each sorted by file name. */
export async function workingFiles(workingFolder: string): Promise<readonly WorkingFile[]> {
  const files: WorkingFile[] = [];
  let bytesLeft = PARSED_BYTES_MAX;
  for (const name of await candidates(workingFolder)) {
    if (files.length >= FILES_MAX) break;
    const path = join(workingFolder, name);
    const entry = await stat(path).catch(() => undefined);
    if (entry?.isFile() !== true) continue;
    if (entry.size > bytesLeft) {
      files.push({ name, outline: null });
      continue;
    }
    bytesLeft -= entry.size;
    const source = await readSource(path).catch(() => undefined);
    const outline = source === undefined ? undefined : outlineOf(source.text);
    if (outline !== undefined) files.push({ name, outline });
  }
  return files;
}

/** The path of a YAML file in one of `FOLDERS`; undefined for any other name. */
export async function workingFilePath(workingFolder: string, name: string): Promise<string | undefined> {
  return (await candidates(workingFolder)).includes(name) ? join(workingFolder, name) : undefined;
}

async function candidates(workingFolder: string): Promise<readonly string[]> {
  const listed = await Promise.all(
    FOLDERS.map(async (folder) => {
      const entries = await readdir(join(workingFolder, folder)).catch((): string[] => []);
      const files = entries.filter((entry) => /\.ya?ml$/i.test(entry) && !entry.startsWith('.')).toSorted();
      return files.map((entry) => (folder === '.' ? entry : `${folder}/${entry}`));
    }),
  );
  return listed.flat();
}
