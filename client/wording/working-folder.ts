import { AsyncLocalStorage } from 'node:async_hooks';
import { resolve } from 'node:path';

/** The working folder of each command. Several commands may share one process. */
const commandFolder = new AsyncLocalStorage<string>();

/** The folder of the running command, or else of the process. */
export function workingFolder(): string {
  return commandFolder.getStore() ?? process.cwd();
}

/** Makes a path absolute. A relative path starts from the working folder. */
export function absolute(...paths: readonly string[]): string {
  return resolve(workingFolder(), ...paths);
}

export function inWorkingFolder<T>(folder: string, run: () => T): T {
  return commandFolder.run(folder, run);
}
