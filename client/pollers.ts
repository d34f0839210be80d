import { type ConnectionLike } from '@temporalio/client';

/**
 * A worker that lives polls at least this often: a long poll lasts a minute at most. Temporal lists pollers for minutes
 * after they have gone.
 */
const POLLED_WITHIN_MS = 75_000;

/** Whether any worker serves a queue, or did until a moment ago. */
export async function isServed(connection: ConnectionLike, namespace: string, taskQueue: string): Promise<boolean> {
  const { pollers } = await connection.workflowService.describeTaskQueue({ namespace, taskQueue: { name: taskQueue } });
  return pollers.some(
    ({ lastAccessTime }) => Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1_000 < POLLED_WITHIN_MS,
  );
}

/** What a person is told who would wait for a worker that is not there. */
export const NO_WORKER =
  'No worker serves this account and store yet; start one with `dailies worker` or `dailies up`.';
