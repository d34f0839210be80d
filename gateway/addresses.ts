/** A model. Its requests go to `workflow`, a workflow of the gateway, or to `UNIFIED` if `workflow` is absent. */
export interface ModelAddress {
  readonly id: string;
  readonly workflow?: string;
}

/** The gateway's address in two parts. */
export interface BaseUrl {
  readonly origin: string;
  /** Path prefix of all requests: empty, or `/…` without a slash at its end. */
  readonly prefix: string;
}

/** Longest task id that is accepted. Real ids have about 40 characters. */
const TASK_ID_MAX_LENGTH = 200;

/** Letters, digits, dot, dash, underscore and tilde. No segment starts with a dot, so none is `..`. */
const WORKFLOW_PATTERN = /^[A-Za-z0-9_][A-Za-z0-9._~-]*(\/[A-Za-z0-9_][A-Za-z0-9._~-]*)*$/;
const WORKFLOW_MAX_LENGTH = 200;

const UNIFIED = '/workflows/v1/models';

/**
 * Parses the gateway's address.
 *
 * @throws TypeError that names the problem without repeating the address, which may contain a secret.
 */
export function parseBaseUrl(text: string): BaseUrl {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError("The gateway's address must be an http or https URL, as in https://gateway.example.com");
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError("The gateway's address must contain no user or password; give the API key separately");
  }
  if (/[?#]/.test(text)) throw new TypeError("The gateway's address must contain no query and no fragment");
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}

/** Path of submit or execute. Source: gateway specification, "Endpoints" 1, 2, 4 and 5. */
export function taskPath(model: ModelAddress, verb: 'submit' | 'execute'): string {
  return `${modelPath(model)}/${verb}`;
}

/** Path of a task's result. Source: gateway specification, "Endpoints" 3 and 6. */
export function resultPath(model: ModelAddress, taskId: string): string {
  if (!isTaskId(taskId)) throw new TypeError('The task id cannot be part of an address');
  return `${modelPath(model)}/${encodeURIComponent(taskId)}/result`;
}

/** True if a task id can be one path segment of an address. */
export function isTaskId(id: string): boolean {
  const hasValidLength = id.length > 0 && id.length <= TASK_ID_MAX_LENGTH;
  // Refuse control characters, and unpaired surrogates, which cannot be encoded.
  return hasValidLength && id !== '.' && id !== '..' && !/[\p{Cc}\p{Cs}]/u.test(id);
}

function modelPath({ workflow }: ModelAddress): string {
  if (workflow === undefined) return UNIFIED;
  if (workflow.length > WORKFLOW_MAX_LENGTH || !WORKFLOW_PATTERN.test(workflow)) {
    throw new TypeError(
      `The workflow name ${JSON.stringify(workflow.slice(0, 80))} cannot be part of an address: ` +
        'use letters, digits, dots, dashes, underscores and tildes, in parts separated by single slashes; ' +
        'no part may begin with a dot, dash or tilde',
    );
  }
  return `/workflows/${workflow}`;
}
