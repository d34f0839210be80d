import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';

/**
 * Writes a file under a temporary name in the same folder, and renames the file when it is complete. After an error,
 * the temporary file is removed.
 *
 * The temporary name keeps the extension, because ffmpeg chooses the format by it. The name differs in each call, so
 * that an ffmpeg left over from a killed process cannot write into a later attempt's file.
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
