/** A unified address, which serves all models, contains this path instead of a workflow name. */
const UNIFIED = 'v1/models';

/** How a caller runs a workflow: `submit` returns a task id, `execute` waits for the result. */
export type Mode = 'submit' | 'execute';

/** `workflow` is null in unified addresses. Workflow names contain slashes, such as `alpha/v3/video`. */
export interface RunAddress {
  readonly workflow: string | null;
  readonly mode: Mode;
}

export interface ResultAddress {
  readonly workflow: string | null;
  readonly taskId: string;
}

/** Parses `/workflows/{workflow}/submit` and `…/execute`; undefined for any other path. */
export function parseRunAddress(path: string): RunAddress | undefined {
  const [, name, mode] = /^\/workflows\/(.+)\/(submit|execute)$/.exec(path) ?? [];
  if (name === undefined) return undefined;
  return { workflow: workflowOf(name), mode: mode === 'submit' ? 'submit' : 'execute' };
}

/** Parses `/workflows/{workflow}/{id}/result`; undefined for any other path. */
export function parseResultAddress(path: string): ResultAddress | undefined {
  const [, name, taskId] = /^\/workflows\/(.+)\/([^/]+)\/result$/.exec(path) ?? [];
  if (name === undefined || taskId === undefined) return undefined;
  return { workflow: workflowOf(name), taskId };
}

function workflowOf(name: string): string | null {
  return name === UNIFIED ? null : name;
}
