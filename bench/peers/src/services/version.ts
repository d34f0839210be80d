import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const FIRST_VERSION = /(\d+(?:\.\d+)+[\w.-]*)/;

/**
 * Asks a program for its version.
 *
 * @param where the pattern, whose first group is the version; needed if other versions come first in the output.
 * @returns for example `15.18`; the whole output if it contains no version.
 */
export async function versionOf(path: string, where = FIRST_VERSION): Promise<string> {
  const { stdout } = await promisify(execFile)(path, ['--version']);
  return where.exec(stdout)?.[1] ?? stdout.trim();
}
