import { type ScheduleOptionsStartWorkflowAction } from '@temporalio/client';
import { scheduledRunWorkflowId } from '../../contracts/identifiers';
import { type ScheduledRunInput } from '../../contracts/render/scheduled-run';
import { WORKFLOWS, type WorkflowSignatures } from '../../contracts/workflow-signatures';
import { type StartOptions } from '../temporal/start-workflow';

/** The workflow that a schedule starts at each of its times. Temporal appends the time to the workflow's id. */
export function actionOf(
  input: ScheduledRunInput,
  { taskQueue, workflowTaskTimeout }: StartOptions,
): ScheduleOptionsStartWorkflowAction<WorkflowSignatures['scheduledRun']> {
  return {
    type: 'startWorkflow',
    workflowType: WORKFLOWS.scheduledRun,
    workflowId: scheduledRunWorkflowId(input.storeId, input.schedule),
    taskQueue,
    workflowTaskTimeout,
    args: [input],
    memo: { account: input.account },
    staticSummary: input.schedule,
  };
}

/** The input of a schedule's future runs. */
export function inputOf({ args }: { readonly args?: unknown }): ScheduledRunInput {
  // `actionOf` has written the arguments with this type.
  return (args as readonly [ScheduledRunInput])[0];
}
