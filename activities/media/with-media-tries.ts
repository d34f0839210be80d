import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type FailureType } from '../../contracts/failures';
import { FfmpegError } from '../../media';
import { failure } from '../fail';
import { withHeartbeat } from '../with-heartbeat';

/**
 * Details that heartbeats carry to the next attempt. Temporal's attempt number cannot replace `refusals`, because it
 * also counts lost workers and full disks.
 */
interface Carried {
  refusals: number;
  /** For people who look at a running activity. */
  readonly progress: unknown;
}

/**
 * Runs work that uses ffmpeg, with heartbeats. Each MediaFailed counts as a refusal, unless ffmpeg did not start or was
 * killed from outside. After `tries` refusals the failure is final. The work gets the number of refusals so far.
 *
 * @throws MediaFailed (retried), MediaUnusable (final); other errors of the work.
 */
export async function withMediaTries<T>(
  tries: number,
  work: (context: Context, refusals: number) => Promise<T>,
  progress?: () => unknown,
): Promise<T> {
  const carried = Context.current().info.heartbeatDetails as Partial<Carried> | null | undefined;
  let refusals = carried?.refusals ?? 0;
  return withHeartbeat(
    async (context) => {
      try {
        return await work(context, refusals);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refusals += 1;
        throw refusals < tries ? error : failure('MediaUnusable', error.message, { cause: error });
      }
    },
    (): Carried => ({ refusals, progress: progress?.() ?? null }),
  );
}

function isRefusal(error: unknown): error is ApplicationFailure {
  if (!(error instanceof ApplicationFailure) || error.type !== ('MediaFailed' satisfies FailureType)) return false;
  return !(error.cause instanceof FfmpegError && !error.cause.isRefusal);
}
