import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';

/**
 * Has a file written beside its place and moves it there once it is whole; on an error nothing is left.
 *
 * The part keeps the extension, by which ffmpeg picks the format. It has a name of its own for each call, so that an
 * ffmpeg left over from a killed process cannot write into a later attempt's file.
 */
export async function writeThroughPart<T>(path: string, write: (partPath: string) => Promise<T>): Promise<T> {
  const extension = extname(path);
  const partPath = resolve(dirname(path), `.${basename(path, extension)}.${randomUUID()}.part${extension}`);
  try {
    const result = await write(partPath);
    await rename(partPath, path);
    return result;
  } finally {
    await rm(partPath, { force: true });
  }
}
