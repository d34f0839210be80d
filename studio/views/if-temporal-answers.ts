import { grpcCode } from '../../client/temporal/unavailable';
import { type Studio } from '../server/studio';

/** Time limit of a call, so that a page does not wait long if Temporal does not answer. */
const TIMEOUT_MS = 1_500;

/**
 * gRPC's CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED and UNAVAILABLE: an overloaded server may answer
 * with any of these codes.
 */
const NO_ANSWER: ReadonlySet<unknown> = new Set([1, 4, 8, 10, 14]);

/** The result of a call to Temporal; undefined if Temporal does not answer in time. */
export async function ifTemporalAnswers<T>(studio: Studio, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await studio.dailies.temporal.withDeadline(Date.now() + TIMEOUT_MS, call);
  } catch (error) {
    if (NO_ANSWER.has(grpcCode(error))) return undefined;
    throw error;
  }
}
