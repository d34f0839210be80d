import { ApplicationFailure } from '@temporalio/common';
import { FAILURES, type FailureType } from '../contracts/failures';

export interface FailureDetails {
  readonly cause?: unknown;
  /** When the next attempt is due; Temporal's policy decides where absent. */
  readonly nextRetryDelayMs?: number;
}

/** Nothing is wrong: the next attempt is the wait. */
const BENIGN: ReadonlySet<FailureType> = new Set(['TaskPending', 'AnswerAwaited', 'RunUnderWay']);

/** The one way in which an activity fails: with a type from the catalogue, which also says whether it is retried. */
export function failure(type: FailureType, message: string, details: FailureDetails = {}): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message,
    nonRetryable: !FAILURES[type].retried,
    ...(BENIGN.has(type) ? { category: 'BENIGN' } : {}),
    ...(details.nextRetryDelayMs === undefined ? {} : { nextRetryDelay: details.nextRetryDelayMs }),
    ...(details.cause instanceof Error ? { cause: details.cause } : {}),
  });
}
