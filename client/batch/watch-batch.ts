import { setTimeout as sleep } from 'node:timers/promises';
import { retryWhileUnavailable } from '../once-back';
import { type LiveBatch } from './batch-report';

/** A look is a query and a listing; results come out as often. */
const LOOK_EVERY_MS = 1_000;

/**
 * Looks at a batch until it has ended. A Temporal server that is away for a while is waited for.
 *
 * @param onLook told what each look has found, the last one too.
 * @returns whether it has ended; else the signal has ended the watching.
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
