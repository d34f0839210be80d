import { ActivityFailure, ApplicationFailure, type TemporalFailure, TimeoutFailure } from '@temporalio/workflow';

/** The message of the failure that ended an activity, or of the last attempt's failure before a timeout. */
export function reasonOf(failure: TemporalFailure): string {
  const { cause } = failure;
  if (cause instanceof TimeoutFailure && cause.cause !== undefined) return cause.cause.message;
  return cause?.message ?? failure.message;
}

/** Calls an activity, and calls it again after each timeout. Throws every other failure, such as a cancellation. */
export function untilServed<T>(call: () => Promise<T>): Promise<T> {
  return call().catch((error: unknown) => {
    if (!isTimeout(error)) throw error;
    return untilServed(call);
  });
}

/**
 * Whether an activity's time ran out.
 *
 * The server also gives up early if the next attempt would start too late. Then `retryState` is `TIMEOUT`, and the
 * cause is the last attempt's failure.
 */
export function isTimeout(error: unknown): boolean {
  return error instanceof ActivityFailure && (error.retryState === 'TIMEOUT' || error.cause instanceof TimeoutFailure);
}

/** The type of the ApplicationFailure that ended an activity or preceded its timeout; undefined if there was none. */
export function lastFailureType(error: unknown): string | null | undefined {
  const ended = error instanceof ActivityFailure ? error.cause : undefined;
  const last = ended instanceof TimeoutFailure ? ended.cause : ended;
  return last instanceof ApplicationFailure ? last.type : undefined;
}
