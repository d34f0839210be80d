/** Work that no activity waits for, one after the other. What a worker has not done of it when it leaves is left. */
export interface Background {
  /** Where too much waits already it is let go, as is work that fails; it says so itself. */
  start(work: (signal: AbortSignal) => Promise<void>): void;
  /** Tells what is under way to end, and resolves once it has. */
  stop(): Promise<void>;
}

/** What waits at most: more would be done long after anybody looks for it. */
const MOST_WAITING = 50;

export function createBackground(): Background {
  const stopping = new AbortController();
  const { signal } = stopping;
  let [waiting, last] = [0, Promise.resolve()];
  return {
    start(work) {
      if (waiting > MOST_WAITING) return;
      waiting += 1;
      last = last
        .then(() => (signal.aborted ? undefined : work(signal)))
        .catch(() => undefined)
        .finally(() => {
          waiting -= 1;
        });
    },
    async stop() {
      stopping.abort();
      await last;
    },
  };
}
