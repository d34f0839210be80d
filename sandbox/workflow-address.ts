/** The unified family stands where a workflow name would; the model then comes from the body. */
const UNIFIED = 'v1/models';

/** How a caller runs a workflow: for a task id, or for the result itself. */
export type Mode = 'submit' | 'execute';

/** `workflow` is null on the unified addresses. Workflow names hold slashes, as `alpha/v3/video`. */
export interface RunAddress {
  readonly workflow: string | null;
  readonly mode: Mode;
}

export interface ResultAddress {
  readonly workflow: string | null;
  readonly taskId: string;
}

/** Reads `/workflows/{workflow}/submit` and `…/execute`; undefined for any other path. */
export function parseRunAddress(path: string): RunAddress | undefined {
  const [, name, mode] = /^\/workflows\/(.+)\/(submit|execute)$/.exec(path) ?? [];
  if (name === undefined) return undefined;
  return { workflow: workflowOf(name), mode: mode === 'submit' ? 'submit' : 'execute' };
}

/** Reads `/workflows/{workflow}/{id}/result`; undefined for any other path. */
export function parseResultAddress(path: string): ResultAddress | undefined {
  const [, name, taskId] = /^\/workflows\/(.+)\/([^/]+)\/result$/.exec(path) ?? [];
  if (name === undefined || taskId === undefined) return undefined;
  return { workflow: workflowOf(name), taskId };
}

function workflowOf(name: string): string | null {
  return name === UNIFIED ? null : name;
}
