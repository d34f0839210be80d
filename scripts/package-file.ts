import { join } from 'node:path';

/** The package's root: the compiled module is one folder deeper in it than the source. */
const ROOT = __filename.endsWith('.ts') ? join(__dirname, '..') : join(__dirname, '..', '..');

/** Path of a file that comes with the package. */
export function packageFile(...names: readonly string[]): string {
  return join(ROOT, ...names);
}
