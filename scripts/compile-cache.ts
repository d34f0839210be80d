import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Exists in Node 22.1 and later. Never throws: if the folder cannot be written, modules are compiled anew. */
const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder?: string) => unknown };

/**
 * Keeps the compiled modules for the next command, in the cache folder of the Temporal CLI.
 *
 * Node's default is a folder under /tmp, where another user could replace the code.
 */
if (process.env['NODE_COMPILE_CACHE'] === undefined) {
  const path = folder();
  if (path !== undefined) enableCompileCache?.(path);
}

function folder(): string | undefined {
  const { DAILIES_CACHE } = process.env;
  if (DAILIES_CACHE) return join(DAILIES_CACHE, 'compiled');
  try {
    return join(homedir(), '.cache', 'dailies', 'compiled');
  } catch {
    // A user without a name and without HOME has no home, as in some containers.
    return undefined;
  }
}
