import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const FIRST_VERSION = /(\d+(?:\.\d+)+[\w.-]*)/;

/**
 * Asks a program what it is.
 *
 * @param where its first group is the version; needed where its answer has others before it.
 * @returns as `15.18`; its whole answer where there is no version in it.
 */
export async function versionOf(path: string, where = FIRST_VERSION): Promise<string> {
  const { stdout } = await promisify(execFile)(path, ['--version']);
  return where.exec(stdout)?.[1] ?? stdout.trim();
}
