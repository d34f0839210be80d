import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Of Node 22.1 and later. Never throws: where the folder cannot be written, everything is compiled anew. */
const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder?: string) => unknown };

/**
 * Keeps the compiled modules for the next command, in the folder that the Temporal CLI is cached in.
 *
 * Not in Node's own default, a folder under /tmp: there another user could put code in our place.
 */
if (process.env['NODE_COMPILE_CACHE'] === undefined) enableCompileCache?.(folder());

function folder(): string {
  return join(process.env['DAILIES_CACHE'] || join(homedir(), '.cache', 'dailies'), 'compiled');
}
