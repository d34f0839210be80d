import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../store/durable-file';

/** The files below a folder that hold the text, whatever kind of file they are. */
export async function filesWith(text: string, folder: string): Promise<readonly string[]> {
  const paths = await filesBelow(folder);
  const contents = await Promise.all(paths.map((path) => readFile(path).catch(() => Buffer.alloc(0))));
  return paths.filter((_path, index) => contents[index]?.includes(text));
}

/** Folders come and go while something is rendered there. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return [];
  });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => filesBelow(join(folder, name)));
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
  return [...files, ...(await Promise.all(folders)).flat()];
}
