import { setTimeout as delay } from 'node:timers/promises';
import { isUnavailable } from './unavailable';

/** A Temporal server that is started again is back within seconds. */
const RECONNECT_EVERY_MS = 2_000;

/**
 * Asks as often as it takes while Temporal is away: what waits for paid work does not end with a connection.
 *
 * @param ask one call that only looks, or waits.
 * @returns undefined when the signal ends the waiting.
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

/** Asked anew, since it changes while something is awaited. */
function hasEnded(signal: AbortSignal): boolean {
  return signal.aborted;
}
