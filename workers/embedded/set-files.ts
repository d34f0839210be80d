import { join, resolve } from 'node:path';

/** Where everything of a store's embedded set lies. */
export interface SetFiles {
  /** The store's own folder. */
  readonly store: string;
  readonly lock: string;
  readonly logs: string;
  readonly processes: string;
  readonly database: string;
  readonly sandbox: string;
  /** Holds the key of the sandbox that runs, for workers of one's own; nobody else may read it. */
  readonly sandboxKey: string;
  /** Never written: what a Temporal client reads in place of the user's own profile. */
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
