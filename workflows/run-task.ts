import { ActivityFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import type { SubmitOutcome } from '../contracts/activities';
import type { GenerateInput } from '../contracts/workflows';
import { isTimeout, reasonOf } from './activity-failures';
import { submitActivities } from './activity-options';
import { bringHome, type OnAccepted, type TaskRun } from './bring-home';

/**
 * One task from the wish to the stored asset: submit, await, store, last frame.
 *
 * Until the gateway has accepted it the task can be cancelled at no cost. From then on it is paid for, and whatever
 * happens it is awaited and collected.
 */
export async function runTask(input: GenerateInput, onAccepted: OnAccepted): Promise<TaskRun> {
  try {
    return await bringHome(input, await submit(input), onAccepted);
  } catch (error) {
    if (!isCancellation(error) && !(error instanceof ActivityFailure)) throw error;
    // A submit that was refused for now is not repeated once it is cancelled, and ends with the refusal.
    const isCancelled = isCancellation(error) || CancellationScope.current().consideredCancelled;
    if (isCancelled || !(error instanceof ActivityFailure)) {
      return { state: 'cancelled' };
    }
    // An attempt before the one that failed may have sent it: that is for the ledger to say.
    return { state: 'failed', reason: reasonOf(error), take: null, isUnpaid: false };
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
