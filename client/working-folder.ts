import { AsyncLocalStorage } from 'node:async_hooks';
import { resolve } from 'node:path';

/** Commands that share a process each have a folder of their own. */
const own = new AsyncLocalStorage<string>();

/** The folder that relative paths start from: that of the command that runs, else the process's own. */
export function workingFolder(): string {
  return own.getStore() ?? process.cwd();
}

/** An absolute path; a relative one starts from the working folder. */
export function absolute(...paths: readonly string[]): string {
  return resolve(workingFolder(), ...paths);
}

/** Runs something with a working folder of its own. */
export function inFolder<T>(folder: string, run: () => T): T {
  return own.run(folder, run);
}
