import { ApplicationFailure } from '@temporalio/common';
import { FAILURES, type FailureType } from '../contracts/failures';

export interface FailureDetails {
  readonly cause?: unknown;
  /** When the next attempt is due; Temporal's policy decides where absent. */
  readonly nextRetryDelayMs?: number;
  /** True if it is told once for all attempts. */
  readonly isTold?: boolean;
}

/** No line of the log for each attempt: nothing is wrong, and the next attempt is the wait; or it is told once for all. */
const BENIGN: ReadonlySet<FailureType> = new Set(['TaskPending', 'AnswerAwaited', 'RunUnderWay', 'KeyRefused']);

/** The one way in which an activity fails: with a type from the catalogue, which also says whether it is retried. */
export function failure(type: FailureType, message: string, details: FailureDetails = {}): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message,
    nonRetryable: !FAILURES[type].retried,
    ...(BENIGN.has(type) || details.isTold === true ? { category: 'BENIGN' } : {}),
    ...(details.nextRetryDelayMs === undefined ? {} : { nextRetryDelay: details.nextRetryDelayMs }),
    ...(details.cause instanceof Error ? { cause: details.cause } : {}),
  });
}
