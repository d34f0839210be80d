import { UnifiedRequest, WorkflowRequest } from '../../contracts/gateway/wire';
import { checkParameters } from './check-parameters';
import { RequestRefused } from './request-refused';
import { SANDBOX_MODELS, type SandboxModel } from '../sandbox-models';
import type { RunAddress } from './workflow-address';

/** A checked request for one task. */
export interface TaskRequest {
  readonly model: SandboxModel;
  /** Includes the model's defaults. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/**
 * Checks the body of a submit or execute request, and returns the requested task. The expected form of the body depends
 * on whether the address names a workflow.
 *
 * @throws RequestRefused 404 for an unknown workflow, 400 for every other error.
 *
 * Source: gateway specification, "Request envelope".
 */
export function readTaskRequest(address: RunAddress, body: unknown): TaskRequest {
  const { modelId, input } = address.workflow === null ? readUnified(body) : readWorkflow(address.workflow, body);
  const model = SANDBOX_MODELS.find(({ id }) => id === modelId);
  if (!model) {
    const known = SANDBOX_MODELS.map(({ id }) => id).join(', ');
    throw new RequestRefused(400, 'unknown_model', `There is no model ${modelId}; known are ${known}.`);
  }
  if (address.workflow !== null && address.workflow !== model.workflow) {
    throw new RequestRefused(
      400,
      'model_mismatch',
      `Model ${model.id} belongs to workflow ${model.workflow}, not to ${address.workflow}.`,
    );
  }
  return { model, parameters: checkParameters(model, input) };
}

/** @throws RequestRefused 404 if no model has this workflow. */
export function requireWorkflow(workflow: string): void {
  if (SANDBOX_MODELS.some((model) => model.workflow === workflow)) return;
  const known = SANDBOX_MODELS.map((model) => model.workflow).join(', ');
  throw new RequestRefused(404, 'unknown_workflow', `There is no workflow ${workflow}; known are ${known}.`);
}

function readUnified(body: unknown): { modelId: string; input: unknown } {
  const parsed = UnifiedRequest.safeParse(body);
  if (!parsed.success) throw malformed('{"params": {"model": "…", "params": {…}}}');
  return { modelId: parsed.data.params.model, input: parsed.data.params.params };
}

function readWorkflow(workflow: string, body: unknown): { modelId: string; input: unknown } {
  requireWorkflow(workflow);
  const parsed = WorkflowRequest.safeParse(body);
  if (!parsed.success) throw malformed('{"params": {"model": "…", …the model\'s own parameters}}');
  const { model, ...input } = parsed.data.params;
  return { modelId: model, input };
}

function malformed(shape: string): RequestRefused {
  return new RequestRefused(400, 'malformed_request', `The body must read ${shape}.`);
}
