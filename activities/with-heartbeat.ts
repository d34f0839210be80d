import { Context } from '@temporalio/activity';

/** Well below the heartbeat timeout of every activity, so that one late heartbeat does not look like a lost worker. */
const BEAT_EVERY_MS = 1_000;

/**
 * Runs the work with heartbeats.
 *
 * @param progress returns the details of a heartbeat. The next attempt finds the last details in
 *   `info.heartbeatDetails`. If the work throws, a last heartbeat brings them up to date.
 */
export async function withHeartbeat<T>(work: (context: Context) => Promise<T>, progress?: () => unknown): Promise<T> {
  const context = Context.current();
  const beat = (): void => {
    context.heartbeat(progress?.());
  };
  const timer = setInterval(beat, BEAT_EVERY_MS);
  try {
    return await work(context);
  } catch (error) {
    beat();
    throw error;
  } finally {
    clearInterval(timer);
  }
}
