import { ActivityFailure, isCancellation } from '@temporalio/workflow';
import type { KnownTimes } from '../../contracts/activities';
import { decisionActivities } from '../temporal/activity-options';

/** Usual times are looked up anew after half of the time that is left, and no sooner than this: each look is events. */
export const LEAST_LOOK_MS = 5_000;

/** Looks up how long tasks of these models usually take. Where that cannot be had, what was known before counts on. */
export function learnTimes(models: readonly string[], learned: (times: KnownTimes) => void): Promise<void> {
  return decisionActivities('person')
    .lookUpTimes({ models })
    .then(learned, (error: unknown) => {
      if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    });
}
