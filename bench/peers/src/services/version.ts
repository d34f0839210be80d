import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const FIRST_VERSION = /(\d+(?:\.\d+)+[\w.-]*)/;

/**
 * Asks a program for its version.
 *
 * @param where pattern whose first group is the version; needed if the output starts with another version.
 * @returns for example `15.18`; the whole output if the pattern does not match.
 */
export async function versionOf(path: string, where = FIRST_VERSION): Promise<string> {
  const { stdout } = await promisify(execFile)(path, ['--version']);
  return where.exec(stdout)?.[1] ?? stdout.trim();
}
