import { ApplicationFailure } from '@temporalio/common';
import { FAILURES, type FailureType } from '../contracts/failures';

export interface FailureDetails {
  readonly cause?: unknown;
  /** Delay until the next attempt. Default: Temporal's retry policy decides. */
  readonly nextRetryDelayMs?: number;
  /** True if the failure is logged elsewhere, once for all attempts. */
  readonly isTold?: boolean;
}

/**
 * Failures that are not logged at each attempt: either the retry is a planned wait, or the failure is logged once for
 * all attempts.
 */
const BENIGN: ReadonlySet<FailureType> = new Set(['TaskPending', 'AnswerAwaited', 'RunUnderWay', 'KeyRefused']);

/** Makes an activity's failure. The catalogue of failure types says whether it is retried. */
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
