import { ActivityFailure, CancellationScope, isCancellation, patched } from '@temporalio/workflow';
import type { SubmitOutcome } from '../../contracts/activities';
import type { GenerateInput } from '../../contracts/workflows';
import { isTimeout, reasonOf } from '../temporal/activity-failures';
import { submitActivities } from '../temporal/activity-options';
import { collectTask, type OnAccepted, type TaskRun } from './collect-task';

/**
 * Runs one task from the request to the stored asset: submit, await, store, last frame.
 *
 * A task can be cancelled at no cost until the gateway has accepted it. An accepted task is paid for, so it is awaited
 * and collected even after a cancellation.
 */
export async function runTask(input: GenerateInput, onAccepted: OnAccepted): Promise<TaskRun> {
  try {
    return await collectTask(input, await submit(input), onAccepted);
  } catch (error) {
    if (!isCancellation(error) && !(error instanceof ActivityFailure)) throw error;
    // A cancelled submit is not retried, so it may end with the failure of its last attempt.
    const isCancelled = isCancellation(error) || CancellationScope.current().consideredCancelled;
    if (isCancelled || !(error instanceof ActivityFailure)) return whatWasSent(input, onAccepted);
    // An earlier attempt may have sent the task, so it may be paid for.
    return { state: 'failed', reason: reasonOf(error), take: null, isUnpaid: false };
  }
}

/**
 * Looks up whether a cancelled submit sent the task: an attempt whose worker was lost may have sent it. A task that was
 * sent may be paid for, and perhaps no later render asks for it. So it is collected now.
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

/**
 * Submits a task. Repeats the activity after each timeout, without limit: nothing is paid for while the gateway is down
 * or refuses the key, and the activity reads the ledger before it sends.
 */
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
