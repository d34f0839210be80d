import { ApplicationFailure } from '@temporalio/workflow';
import type { FailureType, WorkflowFailureType } from '../../contracts/failures';

/** A failure that nobody tries again by itself: it ends the workflow, or tells whoever sent an update why it was not taken. */
export function failure(type: FailureType | WorkflowFailureType, reason: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(reason, type);
}
