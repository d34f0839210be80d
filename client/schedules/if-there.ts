import { ScheduleNotFoundError } from '@temporalio/client';

/** The result of a call to a schedule; undefined if Temporal does not know the schedule. */
export async function ifThere<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}
