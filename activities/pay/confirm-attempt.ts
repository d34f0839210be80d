import { Context } from '@temporalio/activity';
import { failure } from '../fail';

/**
 * Asks Temporal whether an activity's attempt still counts, by a heartbeat. Rejects if the attempt was given up, its
 * cancellation was requested, or Temporal does not answer within seconds.
 */
export type HeartbeatNow = (taskToken: Uint8Array) => Promise<void>;

/**
 * Throws unless this attempt still counts for Temporal. After a confirmation, Temporal waits a whole heartbeat timeout
 * (5 s) before it gives the attempt up, so whatever begins within that time is known to the next attempt.
 *
 * See docs/decisions/0057-confirmed-attempts.md.
 *
 * @throws WorkerStalled (retried, unless the activity is cancelled)
 */
export async function confirmAttempt(heartbeatNow: HeartbeatNow): Promise<void> {
  try {
    await heartbeatNow(Context.current().info.taskToken);
  } catch (error) {
    const reason = `Temporal does not confirm that this attempt still counts: ${String(error)}; nothing was sent`;
    throw failure('WorkerStalled', reason, { cause: error });
  }
}
