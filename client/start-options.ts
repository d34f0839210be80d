import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client';

/** After this time Temporal gives a lost worker's workflow task to another. */
const WORKFLOW_TASK_TIMEOUT = '5 seconds';

export type StartOptions = ReturnType<typeof startOptionsFor>;

/** Options for starting any workflow: one at a time of each id, and again when it has ended. */
export function startOptionsFor(taskQueue: string) {
  return {
    taskQueue,
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
  } as const;
}
