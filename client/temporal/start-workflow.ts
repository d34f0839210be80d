import {
  type Client,
  type WithWorkflowArgs,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  type WorkflowHandle,
  type WorkflowSignalWithStartOptions,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { type WorkflowName, type WorkflowSignatures } from '../../contracts/workflow-signatures';

/** After this time Temporal gives a lost worker's workflow task to another worker. */
const WORKFLOW_TASK_TIMEOUT = '5 seconds';

export type StartOptions = ReturnType<typeof startOptionsFor>;

/** A handle whose result type is that of the named workflow. */
export type HandleOf<Name extends WorkflowName> = WorkflowHandle<WorkflowSignatures[Name]>;

/** Start options for all workflows. An id has at most one running workflow, and can be reused after its end. */
export function startOptionsFor(taskQueue: string) {
  return {
    taskQueue,
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
  } as const;
}

/** Starts a workflow by its name. Arguments of another workflow do not compile. */
export function startWorkflow<Name extends WorkflowName>(
  { workflow }: Client,
  name: Name,
  options: WorkflowStartOptions<WorkflowSignatures[Name]>,
): Promise<HandleOf<Name>> {
  return workflow.start<WorkflowSignatures[Name]>(name, options);
}

/** Sends a signal to a workflow, and starts the workflow if it does not run. */
export async function signalWithStart<Name extends WorkflowName, Args extends [unknown]>(
  { workflow }: Client,
  name: Name,
  options: WithWorkflowArgs<WorkflowSignatures[Name], WorkflowSignalWithStartOptions<Args>>,
): Promise<void> {
  await workflow.signalWithStart<WorkflowSignatures[Name], Args>(name, options);
}
