import { join } from 'node:path';

/** Compiled, this module is one folder deeper in the package. */
const ROOT = __filename.endsWith('.ts') ? join(__dirname, '..') : join(__dirname, '..', '..');

/** Path of a file that comes with the package. */
export function packageFile(...names: readonly string[]): string {
  return join(ROOT, ...names);
}
