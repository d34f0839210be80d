import { setWorkflowOptions, workflowInfo, type Workflow } from '@temporalio/workflow';

/**
 * Moves a workflow that never ends to new worker versions: a pinned workflow would need its first workers for ever.
 *
 * Sets nothing if workers have no versions, because the server then refuses the option.
 */
export function neverPinned(workflow: Workflow): void {
  setWorkflowOptions(
    () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'AUTO_UPGRADE' } : {}),
    workflow,
  );
}
