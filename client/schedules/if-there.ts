import { ScheduleNotFoundError } from '@temporalio/client';

/** What is asked of a schedule; undefined if Temporal does not know it. */
export async function ifThere<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}
