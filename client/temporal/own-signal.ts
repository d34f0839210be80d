import { setMaxListeners } from 'node:events';

/**
 * Runs a call with its own abort controller, which follows the given signal until the call ends.
 *
 * Temporal's client adds a listener to a signal for each call and never removes it. On a shared signal these listeners
 * would accumulate. `AbortSignal.any` does not help: Node 20 never frees such a signal while it has a listener.
 */
export async function withOwnSignal<T>(signal: AbortSignal, call: (own: AbortController) => Promise<T>): Promise<T> {
  const own = new AbortController();
  // A call that waits for the end of a workflow adds a listener about every 20 s. Node warns of the eleventh.
  setMaxListeners(0, own.signal);
  const follow = (): void => {
    own.abort(signal.reason);
  };
  if (signal.aborted) follow();
  signal.addEventListener('abort', follow, { once: true });
  try {
    return await call(own);
  } finally {
    signal.removeEventListener('abort', follow);
  }
}
