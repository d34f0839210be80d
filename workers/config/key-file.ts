import { accessSync, closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from './config-error';

/**
 * Reads a key from a file.
 *
 * @param folder a relative path starts from here.
 * @param setting the variable or flag that names the file, for the message.
 * @throws ConfigError if the file is unreadable or empty, or if `readPrivately` refuses the file.
 */
export function readKeyFile(path: string, folder: string, setting = 'DAILIES_GATEWAY_KEY_FILE'): string {
  try {
    const key = readPrivately(resolve(folder, path), setting).trim();
    if (key !== '') return key;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${setting} cannot be read: ${reason}`);
  }
  throw new ConfigError(`${setting} names an empty file: ${path}`);
}

/**
 * Reads a file with a secret. Like ssh, this function refuses a file of this user that others may read or write. It
 * accepts another user's file, such as a container's secret, and a file on a read-only mount, because this user cannot
 * change their modes.
 */
function readPrivately(path: string, setting: string): string {
  const file = openSync(path, 'r');
  try {
    const { uid, mode } = fstatSync(file);
    if (uid === process.geteuid?.() && (mode & 0o077) !== 0 && !isOnReadOnlyMount(path)) {
      throw new ConfigError(
        `${setting} names ${path}, which other users may access: its mode is ` +
          `${(mode & 0o777).toString(8).padStart(4, '0')}; type: chmod 600 ${path}`,
      );
    }
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function isOnReadOnlyMount(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EROFS';
  }
}
