import { Context } from '@temporalio/activity';

/** Well under the heartbeat time-out of every preset, so that one late beat is no lost worker. */
const BEAT_EVERY_MS = 1_000;

/**
 * Runs the work and tells the server meanwhile that it lives.
 *
 * `progress` is what the beats carry; where the work throws, the next attempt finds the last of it in
 * `info.heartbeatDetails`.
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
