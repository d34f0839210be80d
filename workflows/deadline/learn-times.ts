import { ActivityFailure, isCancellation } from '@temporalio/workflow';
import type { KnownTimes } from '../../contracts/activities';
import { decisionActivities } from '../temporal/activity-options';

/**
 * Shortest interval between regular look-ups of usual times. Each look-up adds events to the history. The look-up right
 * before a fallback may follow sooner.
 */
export const LEAST_LOOK_MS = 5_000;

/** Looks up the usual times of tasks of these models. If the look-up fails, the earlier times stay. */
export function learnTimes(models: readonly string[], learned: (times: KnownTimes) => void): Promise<void> {
  return decisionActivities('person')
    .lookUpTimes({ models })
    .then(learned, (error: unknown) => {
      if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    });
}
