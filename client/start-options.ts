import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client';

/** A lost worker's workflow task is given to another after this long. */
const WORKFLOW_TASK_TIMEOUT = '5 seconds';

export type StartOptions = ReturnType<typeof startOptionsFor>;

/** How workflows are started, whichever they are: one at a time of each id, and again once it has ended. */
export function startOptionsFor(taskQueue: string) {
  return {
    taskQueue,
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
  } as const;
}
