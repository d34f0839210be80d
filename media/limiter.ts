/**
 * Runs a job when its turn comes. An abort while the job waits removes it from the queue, and the call rejects with the
 * signal's reason.
 */
export type Limiter = <T>(job: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Makes a limiter that runs at most `size` jobs at once, in the order of the calls. */
export function createLimiter(size: number): Limiter {
  const waiting: (() => void)[] = [];
  let free = size;

  async function turn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(start), 1);
        reject(signal?.reason as Error);
      };
      waiting.push(start);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  return async (job, signal) => {
    await turn(signal);
    try {
      return await job();
    } finally {
      // Pass the turn directly to the next job, so that a new job cannot overtake it.
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
