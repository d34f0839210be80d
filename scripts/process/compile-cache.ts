import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * `enableCompileCache` exists since Node 22.1. It never throws: if the folder is not writable, modules are compiled
 * again.
 */
const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder?: string) => unknown };

/**
 * Caches compiled modules for later commands in the cache folder of Dailies. In Node's default folder, under /tmp,
 * another user could replace the code.
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
    // In some containers the user has neither a name nor HOME.
    return undefined;
  }
}
