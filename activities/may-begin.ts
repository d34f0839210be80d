import { type BeginRunInput, type ScheduleLine } from '../contracts/scheduled-run';
import { type RunsHold } from '../store';
import { failure } from './fail';

/** Who knows whether a run may begin. */
export interface RunAsks {
  readonly schedules?: ScheduleLine | undefined;
  readonly runsHold?: Pick<RunsHold, 'isHeld'> | undefined;
}

/** A server that is away is asked again after this long, and whoever brings the whole set up waits for what is due. */
const ASK_AGAIN_MS = 2_000;

/**
 * Whether a run may begin for which nothing is settled yet, and of what its schedule is made by now.
 *
 * Temporal begins the times of a backfill also while the schedule is paused, as by a run of it that failed. So the run
 * itself asks. One by hand may always begin.
 *
 * @returns `halted` where the schedule is paused, or is not there any more.
 * @throws ProductionHeld where the set is up for something else; ScheduleUnreachable (both retried).
 */
export async function mayBegin(
  { schedules, runsHold }: RunAsks,
  input: BeginRunInput,
): Promise<BeginRunInput | 'halted'> {
  if (input.by === 'hand') return input;
  if ((await runsHold?.isHeld()) === true) {
    throw failure('ProductionHeld', `a run of "${input.schedule}" is due, and begins when \`dailies up\` runs`, {
      nextRetryDelayMs: ASK_AGAIN_MS,
    });
  }
  if (schedules === undefined) return input;
  const standing = await whileTemporalAnswers(() => schedules.standing(input.schedule));
  return standing === 'halted' ? standing : { ...input, ...standing };
}

/** A server that does not answer is asked again. */
export async function whileTemporalAnswers<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw failure('ScheduleUnreachable', 'Temporal does not say how a schedule or its run stands', {
      cause: error,
      nextRetryDelayMs: ASK_AGAIN_MS,
    });
  }
}
