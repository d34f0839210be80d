import { type Store } from '../store';

/** A worker may run for months, so one sweep at its start is not enough. */
const SWEEP_EVERY_MS = 24 * 60 * 60 * 1000;

export interface Sweeping {
  stop(): void;
}

/** Removes abandoned part files and pieces of films from the store, at once and then every day. */
export function startSweeping(store: Store, onNotice: (line: string) => void): Sweeping {
  const sweep = (): void => {
    Promise.all([store.assets.sweepParts(), store.films.sweepPieces()]).catch((error: unknown) => {
      onNotice(`files that crashes left in the store could not be removed: ${String(error)}`);
    });
  };
  sweep();
  const timer = setInterval(sweep, SWEEP_EVERY_MS).unref();
  return {
    stop() {
      clearInterval(timer);
    },
  };
}
