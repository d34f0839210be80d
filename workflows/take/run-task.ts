import { ActivityFailure, CancellationScope, isCancellation, patched } from '@temporalio/workflow';
import type { SubmitOutcome } from '../../contracts/activities';
import type { GenerateInput } from '../../contracts/workflows';
import { isTimeout, reasonOf } from '../temporal/activity-failures';
import { submitActivities } from '../temporal/activity-options';
import { collectTask, type OnAccepted, type TaskRun } from './collect-task';

/**
 * One task from the wish to the stored asset: submit, await, store, last frame.
 *
 * Until the gateway has accepted it the task can be cancelled at no cost. From then on it is paid for, and whatever
 * happens it is awaited and collected.
 */
export async function runTask(input: GenerateInput, onAccepted: OnAccepted): Promise<TaskRun> {
  try {
    return await collectTask(input, await submit(input), onAccepted);
  } catch (error) {
    if (!isCancellation(error) && !(error instanceof ActivityFailure)) throw error;
    // A submit that was refused for now is not repeated once it is cancelled, and ends with the refusal.
    const isCancelled = isCancellation(error) || CancellationScope.current().consideredCancelled;
    if (isCancelled || !(error instanceof ActivityFailure)) return whatWasSent(input, onAccepted);
    // An attempt before the one that failed may have sent it: that is for the ledger to say.
    return { state: 'failed', reason: reasonOf(error), take: null, isUnpaid: false };
  }
}

/**
 * An attempt whose worker was lost may have sent the task before it was cancelled. Such a task is paid for, and another
 * render may not ask for it any more.
 */
async function whatWasSent(input: GenerateInput, onAccepted: OnAccepted): Promise<TaskRun> {
  if (!patched('cancelled-submit-is-looked-up')) return { state: 'cancelled' };
  try {
    const found = await CancellationScope.nonCancellable(() => submitActivities().lookUpTask(input.task));
    return found === null ? { state: 'cancelled' } : await collectTask(input, found, onAccepted);
  } catch (error) {
    if (!isCancellation(error) && !(error instanceof ActivityFailure)) throw error;
    return { state: 'cancelled' };
  }
}

/** What keeps a take from being sent, as a key that is refused, is waited out: nothing is paid for meanwhile. */
async function submit({ task, mode }: GenerateInput): Promise<SubmitOutcome> {
  const { submitTask, executeTask } = submitActivities();
  for (;;) {
    try {
      return await (mode === 'submit' ? submitTask(task) : executeTask(task));
    } catch (error) {
      if (!isTimeout(error)) throw error;
    }
  }
}
