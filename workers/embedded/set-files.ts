import { join, resolve } from 'node:path';

/** Paths of a store's embedded set: the worker, Temporal server and sandbox that a command starts. */
export interface SetFiles {
  /** The store's folder. */
  readonly store: string;
  readonly lock: string;
  readonly logs: string;
  readonly processes: string;
  readonly database: string;
  readonly sandbox: string;
  /** File with the running sandbox's API key, for workers that a person starts. Readable only by the file's owner. */
  readonly sandboxKey: string;
  /** Path of a file that is never written. A Temporal client that gets this path ignores the user's own profile. */
  readonly noProfile: string;
}

export function setFiles(storeFolder: string): SetFiles {
  const folder = join(resolve(storeFolder), 'embedded');
  return {
    store: resolve(storeFolder),
    lock: join(folder, 'lock'),
    logs: join(folder, 'logs'),
    processes: join(folder, 'processes.json'),
    database: join(folder, 'temporal.db'),
    sandbox: join(folder, 'sandbox'),
    sandboxKey: join(folder, 'sandbox-key'),
    noProfile: join(folder, 'no-temporal.toml'),
  };
}
