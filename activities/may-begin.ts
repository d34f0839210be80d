import { type BeginRunInput, type ScheduleLine } from '../contracts/scheduled-run';
import { failure } from './fail';

/** A server that is away is asked again after this long. */
const ASK_AGAIN_MS = 2_000;

/**
 * Whether a run may begin for which nothing is settled yet, and of what its schedule is made by now.
 *
 * Temporal begins the times of a backfill also while the schedule is paused, as by a run of it that failed. So the run
 * itself asks. One by hand may always begin.
 *
 * @returns `halted` where the schedule is paused, or is not there any more.
 * @throws ScheduleUnreachable (retried)
 */
export async function mayBegin(
  line: ScheduleLine | undefined,
  input: BeginRunInput,
): Promise<BeginRunInput | 'halted'> {
  if (line === undefined || input.by === 'hand') return input;
  const standing = await line.standing(input.schedule).catch((error: unknown) => {
    throw failure('ScheduleUnreachable', `Temporal does not say how schedule "${input.schedule}" stands`, {
      cause: error,
      nextRetryDelayMs: ASK_AGAIN_MS,
    });
  });
  return standing === 'halted' ? standing : { ...input, ...standing };
}
