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
if (process.env['NODE_COMPILE_CACHE'] === undefined) enableCompileCache?.(folder());

function folder(): string {
  return join(process.env['DAILIES_CACHE'] || join(homedir(), '.cache', 'dailies'), 'compiled');
}
