import { AsyncLocalStorage } from 'node:async_hooks';
import { resolve } from 'node:path';

/** The working folder of each command. Several commands may share one process. */
const own = new AsyncLocalStorage<string>();

/** The folder for relative paths: that of the running command, or else of the process. */
export function workingFolder(): string {
  return own.getStore() ?? process.cwd();
}

/** An absolute path; a relative one starts from the working folder. */
export function absolute(...paths: readonly string[]): string {
  return resolve(workingFolder(), ...paths);
}

export function inFolder<T>(folder: string, run: () => T): T {
  return own.run(folder, run);
}
