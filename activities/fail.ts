import { ApplicationFailure } from '@temporalio/common';
import { FAILURES, type FailureType } from '../contracts/failures';

export interface FailureDetails {
  readonly cause?: unknown;
  /** When the next attempt is due. Default: Temporal's retry policy decides. */
  readonly nextRetryDelayMs?: number;
  /** True if the failure is logged once for all attempts. */
  readonly isTold?: boolean;
}

/**
 * Failures that are not logged at each attempt: the next attempt is the wait, or the failure is logged once for all.
 */
const BENIGN: ReadonlySet<FailureType> = new Set(['TaskPending', 'AnswerAwaited', 'RunUnderWay', 'KeyRefused']);

/** Makes every failure of an activity: its type is from the catalogue, which also says whether it is retried. */
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
