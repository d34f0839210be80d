import { type BeginRunInput, type ScheduleLine } from '../../contracts/render/scheduled-run';
import { type RunsHold } from '../../store';
import { failure } from '../fail';

/**
 * The checks before a run begins: its schedule in Temporal, and the hold on all runs. A check that is undefined is
 * skipped.
 */
export interface RunGate {
  readonly schedules?: ScheduleLine | undefined;
  readonly runsHold?: Pick<RunsHold, 'isHeld'> | undefined;
}

/** Pause before a failed check is retried. Short, because a person who runs `dailies up` waits for due runs. */
const ASK_AGAIN_MS = 2_000;

/**
 * Returns the input if a new run may begin. If a schedule started the run, the returned input has the schedule's
 * current template and time zone.
 *
 * A run that a person started may always begin. Other runs need this check, because Temporal starts the runs of a
 * backfill even while the schedule is paused.
 *
 * @returns `halted` if the schedule is paused or deleted.
 * @throws ProductionHeld (retried) while runs are held (see `RunsHold`), until `dailies up` or `dailies worker` runs;
 *   ScheduleUnreachable (retried) if Temporal does not answer.
 */
export async function mayBegin(
  { schedules, runsHold }: RunGate,
  input: BeginRunInput,
): Promise<BeginRunInput | 'halted'> {
  if (input.by === 'hand') return input;
  if ((await runsHold?.isHeld()) === true) {
    throw failure(
      'ProductionHeld',
      `a run of "${input.schedule}" is due, and begins when \`dailies up\` or \`dailies worker\` runs`,
      {
        nextRetryDelayMs: ASK_AGAIN_MS,
      },
    );
  }
  if (schedules === undefined) return input;
  const standing = await whileTemporalAnswers('the schedule is paused', () => schedules.standing(input.schedule));
  return standing === 'halted' ? standing : { ...input, ...standing };
}

/**
 * Turns an error of Temporal into a failure that is retried.
 *
 * @param question a clause that follows "whether" in the message.
 */
export async function whileTemporalAnswers<T>(question: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw failure('ScheduleUnreachable', `Temporal did not say whether ${question}`, {
      cause: error,
      nextRetryDelayMs: ASK_AGAIN_MS,
    });
  }
}
