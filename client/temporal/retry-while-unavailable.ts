import { setTimeout as delay } from 'node:timers/promises';
import { isUnavailable } from './unavailable';

/** A restarted Temporal server is back within seconds. */
const RECONNECT_EVERY_MS = 2_000;

/**
 * Retries a call while Temporal is unavailable: a lost connection must not end the wait for paid work.
 *
 * @param call must only read or wait, since it may run several times.
 * @returns undefined if the signal aborts first.
 */
export async function retryWhileUnavailable<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  while (!signal.aborted) {
    try {
      return await call();
    } catch (error) {
      if (isAborted(signal)) return undefined;
      if (!(error instanceof Error && isUnavailable(error))) throw error;
    }
    await delay(RECONNECT_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

/** A function, because TypeScript would infer `false` from the loop's condition. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
