import { setHandler } from '@temporalio/workflow';
import type { GenerateInput, TakeOutcome } from '../../contracts/workflows';
import { openDecisionHandler } from '../take/decision-handler';
import { taskStatusQuery } from '../messages';
import { openUiDetails } from '../progress/ui-details';
import { openBudgetClient } from '../take/budget-client';
import { endOfTask, parkOfTask } from './row-end';
import { openRowReport } from './row-report';
import { openTimedTask } from './timed-task';
import { openLeaseClient } from '../take/lease-client';

/**
 * Runs a single task of any model: video, image, audio or text, by submit or execute. Like a shot, the task parks while
 * it waits for a decision.
 */
export async function generate(input: GenerateInput): Promise<TakeOutcome> {
  let ended: TakeOutcome | null = null;
  const decisionHandler = openDecisionHandler();
  const leaseClient = openLeaseClient();
  const narrate = openUiDetails(input);
  const report = openRowReport(input.row);
  const task = openTimedTask(input);
  setHandler(taskStatusQuery, () => ended ?? decisionHandler.parked()[0] ?? null);
  narrate('rendering', input.model);
  ended = await task.run({
    decisionHandler,
    budgetClient: openBudgetClient(),
    leaseClient,
    isRenewed: () => report.isAskedAnew(),
    listener: {
      accepted(take) {
        narrate('rendering', `task ${take.taskId ?? ''} at the gateway`);
      },
      followed(take) {
        narrate('rendering', `take ${take.take} failed; another one follows`);
      },
      parked(parked) {
        narrate('parked', parked.reason);
        report.parked(parkOfTask(parked, task));
      },
      resumed() {
        narrate('rendering', 'continues');
        report.resumed();
      },
    },
  });
  narrate(ended.state, ended.reason ?? '');
  await report.ended(endOfTask(ended));
  return ended;
}
