/** A signal that fires when the caller aborts or the time limit has passed. Tells which of the two happened first. */
export interface Deadline {
  readonly signal: AbortSignal;
  readonly calledOff: () => boolean;
  readonly expired: () => boolean;
  /** Clears the timer and the listener on the caller's signal, which may live as long as the process. */
  readonly release: () => void;
}

export function startDeadline(limitMs: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let end: 'called off' | 'expired' | null = null;
  const stop = (why: 'called off' | 'expired') => {
    end ??= why;
    controller.abort(new Error(why));
  };
  const onAbort = () => {
    stop('called off');
  };
  const timer = setTimeout(stop, limitMs, 'expired');
  if (caller?.aborted) onAbort();
  caller?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    calledOff: () => end === 'called off',
    expired: () => end === 'expired',
    release: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', onAbort);
    },
  };
}

/**
 * Waits for a promise, but rejects as soon as the signal fires: the HTTP library ignores the signal while it connects.
 */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  const listening = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { signal: listening.signal });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    listening.abort();
  }
}
