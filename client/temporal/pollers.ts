import { type ConnectionLike } from '@temporalio/client';

/**
 * A live worker polls at least this often, since a long poll lasts at most a minute. Temporal lists pollers for minutes
 * after they are gone.
 */
const POLLED_WITHIN_MS = 75_000;

/** Whether a worker serves a queue, or did until a moment ago. */
export async function isServed(connection: ConnectionLike, namespace: string, taskQueue: string): Promise<boolean> {
  const { pollers } = await connection.workflowService.describeTaskQueue({ namespace, taskQueue: { name: taskQueue } });
  return pollers.some(
    ({ lastAccessTime }) => Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1_000 < POLLED_WITHIN_MS,
  );
}

/** The message if a command would wait for a worker and there is none. */
export const NO_WORKER =
  'No worker serves this account and store yet; start one with `dailies worker` or `dailies up`.';
