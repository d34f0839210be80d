/** Work that no activity waits for. What a worker has not done of it when it leaves is left. */
export interface Background {
  /** Work that fails is let go; it says so itself. */
  start(work: (signal: AbortSignal) => Promise<void>): void;
  /** Tells what is under way to end, and resolves once it has. */
  stop(): Promise<void>;
}

export function createBackground(): Background {
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  return {
    start(work) {
      if (stopping.signal.aborted) return;
      const done = work(stopping.signal)
        .catch(() => undefined)
        .finally(() => underWay.delete(done));
      underWay.add(done);
    },
    async stop() {
      stopping.abort();
      await Promise.all(underWay);
    },
  };
}
