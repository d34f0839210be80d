import { ApplicationFailure } from '@temporalio/workflow';
import type { FailureType, WorkflowFailureType } from '../../contracts/failures';

/** A non-retryable failure: it ends the workflow, or tells the sender of an update why the update was refused. */
export function failure(
  type: FailureType | WorkflowFailureType,
  reason: string,
  ...details: readonly string[]
): ApplicationFailure {
  return ApplicationFailure.nonRetryable(reason, type, ...details);
}
