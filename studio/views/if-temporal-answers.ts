import { isUnavailable } from '../../client/temporal/unavailable';
import { type Studio } from '../server/studio';

/** A page must not wait long if Temporal does not answer. */
const TIMEOUT_MS = 1_500;

/** The result of a call to Temporal; undefined if Temporal does not answer in time. */
export async function ifTemporalAnswers<T>(studio: Studio, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await studio.dailies.temporal.withDeadline(Date.now() + TIMEOUT_MS, call);
  } catch (error) {
    // The error of a raw gRPC call has the code itself; an error of Temporal's client has it in its cause.
    if (error instanceof Error && [error, { name: '', message: '', cause: error }].some(isUnavailable))
      return undefined;
    throw error;
  }
}
