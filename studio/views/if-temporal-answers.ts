import { hasNoAnswer } from '../../client/temporal/unavailable';
import { type Studio } from '../server/studio';

/** Time limit of a call, so that a page does not wait long if Temporal does not answer. */
const TIMEOUT_MS = 1_500;

/** The result of a call to Temporal; undefined if Temporal does not answer in time. */
export async function ifTemporalAnswers<T>(studio: Studio, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await studio.dailies.temporal.withDeadline(Date.now() + TIMEOUT_MS, call);
  } catch (error) {
    if (hasNoAnswer(error)) return undefined;
    throw error;
  }
}
