import { Context } from '@temporalio/activity';
import { orAborted } from '../../gateway';
import { failure } from '../fail';

/** How long to wait for the confirmation. Temporal usually answers within 10 ms. */
const CONFIRM_WITHIN_MS = 2_000;

/** The pause before the next attempt doubles with each attempt, up to this limit. */
const LONGEST_PAUSE_MS = 60_000;

/** Sends a heartbeat of an attempt. Rejects if Temporal has given the attempt up, or wants it to be cancelled. */
export type HeartbeatNow = (taskToken: Uint8Array) => Promise<void>;

/**
 * Throws unless Temporal confirms that this attempt still counts. See docs/decisions/0057-confirmed-attempts.md.
 *
 * @throws WorkerStalled (retried, unless the activity is cancelled)
 */
export async function confirmAttempt(heartbeatNow: HeartbeatNow): Promise<void> {
  const { taskToken, attempt } = Context.current().info;
  try {
    await orAborted(heartbeatNow(taskToken), AbortSignal.timeout(CONFIRM_WITHIN_MS));
  } catch (error) {
    const reason = `Temporal did not confirm that this attempt still counts: ${String(error)}; nothing was sent`;
    const nextRetryDelayMs = Math.min(1_000 * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
    throw failure('WorkerStalled', reason, { cause: error, nextRetryDelayMs });
  }
}
