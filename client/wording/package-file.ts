import { join } from 'node:path';

/** The package's root. The compiled module is one folder deeper than the source. */
const ROOT = __filename.endsWith('.ts') ? join(__dirname, '..', '..') : join(__dirname, '..', '..', '..');

/** Path of a file that comes with the package. */
export function packageFile(...names: readonly string[]): string {
  return join(ROOT, ...names);
}
