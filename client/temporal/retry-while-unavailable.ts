import { setTimeout as delay } from 'node:timers/promises';
import { isUnavailable } from './unavailable';

/** A restarted Temporal server is back within seconds. */
const RECONNECT_EVERY_MS = 2_000;

/**
 * Retries a call until Temporal is available, because waiting for paid work must not end with a connection.
 *
 * @param ask one call that only reads or waits.
 * @returns undefined if the signal aborts.
 */
export async function retryWhileUnavailable<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  while (!signal.aborted) {
    try {
      return await ask();
    } catch (error) {
      if (hasEnded(signal)) return undefined;
      if (!(error instanceof Error && isUnavailable(error))) throw error;
    }
    await delay(RECONNECT_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

/** A function, because TypeScript would infer `false` from the loop's condition. */
function hasEnded(signal: AbortSignal): boolean {
  return signal.aborted;
}
