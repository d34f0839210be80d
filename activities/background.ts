/**
 * Runs work that no activity waits for, one piece at a time. Work that has not begun when the worker stops is dropped.
 */
export interface Background {
  /**
   * Queues work, or drops it if too much is waiting. The work must report its own failure.
   *
   * @returns false if the work was dropped.
   */
  start(work: (signal: AbortSignal) => Promise<void>): boolean;
  /** Aborts the work in progress, and resolves when it has ended. */
  stop(): Promise<void>;
}

/** Maximum length of the queue. More work would be done too late to be of use. */
const MOST_WAITING = 50;

export function createBackground(): Background {
  const stopping = new AbortController();
  const { signal } = stopping;
  let [waiting, last] = [0, Promise.resolve()];
  return {
    start(work) {
      if (waiting > MOST_WAITING) return false;
      waiting += 1;
      last = last
        .then(() => (signal.aborted ? undefined : work(signal)))
        .catch(() => undefined)
        .finally(() => {
          waiting -= 1;
        });
      return true;
    },
    async stop() {
      stopping.abort();
      await last;
    },
  };
}
