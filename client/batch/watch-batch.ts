import { setTimeout as sleep } from 'node:timers/promises';
import { retryWhileUnavailable } from '../temporal/retry-while-unavailable';
import { type LiveBatch } from './batch-report';

/** Each check costs one `describe` call and, while the batch runs, one query. */
const LOOK_EVERY_MS = 1_000;

/**
 * Checks a batch until it has ended. Waits while the Temporal server is unavailable.
 *
 * @param onLook called with the result of each check, including the last.
 * @returns true if the batch has ended, false if the signal aborted.
 */
export async function watchBatch(
  batches: { live(batchId: string): Promise<LiveBatch> },
  batchId: string,
  onLook: (live: LiveBatch) => Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    const live = await retryWhileUnavailable(() => batches.live(batchId), signal);
    if (live === undefined) return false;
    await onLook(live);
    if (!live.isRunning) return true;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
