import { setWorkflowOptions, workflowInfo, type Workflow } from '@temporalio/workflow';

/**
 * For a workflow that never ends. If it were pinned, it would need its first workers for ever.
 *
 * The server refuses the option if workers have no versions.
 */
export function neverPinned(workflow: Workflow): void {
  setWorkflowOptions(
    () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'AUTO_UPGRADE' } : {}),
    workflow,
  );
}
