import { type ConnectionLike } from '@temporalio/client';

/**
 * A live worker polls at least this often, because a long poll lasts a minute at most. Temporal also lists pollers that
 * ended minutes ago.
 */
const POLLED_WITHIN_MS = 75_000;

/** True if a worker has polled the queue within `POLLED_WITHIN_MS`. */
export async function isServed(connection: ConnectionLike, namespace: string, taskQueue: string): Promise<boolean> {
  const { pollers } = await connection.workflowService.describeTaskQueue({ namespace, taskQueue: { name: taskQueue } });
  return pollers.some(
    ({ lastAccessTime }) => Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1_000 < POLLED_WITHIN_MS,
  );
}

export const NO_WORKER =
  'No worker serves this account and store yet; start one with `dailies worker` or `dailies up`.';
