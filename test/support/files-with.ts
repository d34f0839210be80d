import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../store/disk/durable-file';

/** The files below a folder that contain the text, of any kind. */
export async function filesWith(text: string, folder: string): Promise<readonly string[]> {
  const paths = await filesBelow(folder);
  const contents = await Promise.all(paths.map((path) => readFile(path).catch(() => Buffer.alloc(0))));
  return paths.filter((_path, index) => contents[index]?.includes(text));
}

/** A rendering may create and remove folders during the search. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return [];
  });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => filesBelow(join(folder, name)));
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
  return [...files, ...(await Promise.all(folders)).flat()];
}
