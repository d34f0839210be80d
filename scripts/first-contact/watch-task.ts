import { setTimeout as delay } from 'node:timers/promises';
import { type GatewayClient, GatewayError, type ModelAddress, type TaskReading } from '../../gateway';

export interface Sighting {
  readonly status: string;
  /** Time of the read, counted from the acceptance. */
  readonly afterSeconds: number;
}

export interface WatchedTask {
  readonly reads: number;
  /** The first status, and each change of status. */
  readonly sightings: readonly Sighting[];
  /** Errors of failed reads, without repeated messages. */
  readonly refusals: readonly GatewayError[];
  /** The last reading; undefined if no read succeeded. */
  readonly last: TaskReading | undefined;
}

export interface WatchOptions {
  readonly model: ModelAddress;
  readonly taskId: string;
  /** ISO 8601. */
  readonly acceptedAt: string;
  readonly everyMs: number;
  /** Ends the wait between reads. One last read follows. */
  readonly signal: AbortSignal;
}

/** Reads a task until it ends or the signal aborts, beside the worker, which reads the task too. */
export async function watchTask(
  gateway: GatewayClient,
  { model, taskId, acceptedAt, everyMs, signal }: WatchOptions,
): Promise<WatchedTask> {
  const sightings: Sighting[] = [];
  const refusals = new Map<string, GatewayError>();
  let last: TaskReading | undefined;
  let reads = 0;
  for (let isLast = false; !isLast;) {
    isLast = signal.aborted;
    reads += 1;
    try {
      last = await gateway.read({ taskId, model });
      const status = last.state === 'pending' ? last.status : last.state.toUpperCase();
      const afterSeconds = Math.max(0, Math.round((Date.now() - Date.parse(acceptedAt)) / 1000));
      if (sightings.at(-1)?.status !== status) sightings.push({ status, afterSeconds });
      isLast ||= last.state !== 'pending';
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      refusals.set(error.message, error);
    }
    if (!isLast) await delay(everyMs, undefined, { signal }).catch(() => undefined);
  }
  return { reads, sightings, refusals: [...refusals.values()], last };
}
