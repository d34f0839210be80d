import { ActivityFailure, ApplicationFailure, type TemporalFailure, TimeoutFailure } from '@temporalio/workflow';

/** What the failures of activities say: what ended them, and whether anybody has served them. */

/** The words of the failure that ended an activity, or of the last one before its time ran out. */
export function reasonOf(failure: TemporalFailure): string {
  const { cause } = failure;
  if (cause instanceof TimeoutFailure && cause.cause !== undefined) return cause.cause.message;
  return cause?.message ?? failure.message;
}

/** Calls again what nobody has served within its patience. Cancellation ends it. */
export function untilServed<T>(call: () => Promise<T>): Promise<T> {
  return call().catch((error: unknown) => {
    if (!isTimeout(error)) throw error;
    return untilServed(call);
  });
}

/** Where the next attempt would come too late, the server gives up at once, and the cause is the last failure. */
export function isTimeout(error: unknown): boolean {
  return error instanceof ActivityFailure && (error.retryState === 'TIMEOUT' || error.cause instanceof TimeoutFailure);
}

/** The type of the failure that ended an activity, or of the last one before its time ran out. */
export function lastFailureType(error: unknown): string | null | undefined {
  const ended = error instanceof ActivityFailure ? error.cause : undefined;
  const last = ended instanceof TimeoutFailure ? ended.cause : ended;
  return last instanceof ApplicationFailure ? last.type : undefined;
}
