import {
  type ActivityInterfaceFor,
  ActivityCancellationType,
  ActivityFailure,
  proxyActivities,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { MediaActivities, PollActivities, SubmitActivities } from '../contracts/activities';
import { activityQueues } from '../contracts/task-queues';

/**
 * The activities with their bounds: per attempt and in total. Each preset waits for a cancelled activity to end, so
 * that nothing that was paid for is left behind unseen.
 */

/** A worker that is silent this long is taken for dead, and another takes over. */
const HEARTBEAT_TIMEOUT = '5 seconds';

/** Longest wait between two tries; it also bounds what a gateway's Retry-After can ask for. */
const LONGEST_DELAY = '1 hour';

const cancellationType = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;

/** How long a take waits to be accepted while the gateway throttles or is down. */
const SUBMIT_PATIENCE = '24 hours';

/** A person waits for the answer to a decision. */
const DECISION_PATIENCE = '1 minute';

/** Longer than the longest request and the noting of its answer. */
const SUBMIT_ATTEMPT = '10 minutes';

export function submitActivities(
  patience: typeof SUBMIT_PATIENCE | typeof DECISION_PATIENCE = SUBMIT_PATIENCE,
): ActivityInterfaceFor<SubmitActivities> {
  return proxyActivities<SubmitActivities>({
    taskQueue: queues().submits,
    startToCloseTimeout: SUBMIT_ATTEMPT,
    scheduleToCloseTimeout: patience,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: LONGEST_DELAY },
  });
}

/** The checking and noting of a person's decision. */
export function decisionActivities(): Pick<ActivityInterfaceFor<SubmitActivities>, 'decide' | 'chooseTake'> {
  return submitActivities(DECISION_PATIENCE);
}

/** Each retry is a poll: no growth, no limit but the deadline. The delay comes from the activity. */
export function pollActivities(deadlineSeconds: number): ActivityInterfaceFor<PollActivities> {
  return proxyActivities<PollActivities>({
    taskQueue: queues().polls,
    startToCloseTimeout: '30 seconds',
    scheduleToCloseTimeout: `${deadlineSeconds} seconds`,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType,
    retry: { initialInterval: '1 second', backoffCoefficient: 1, maximumInterval: LONGEST_DELAY },
  });
}

/** Downloads are bounded by their stall limit; a full disk is waited for. */
export function collectActivities(): ActivityInterfaceFor<Pick<MediaActivities, 'storeOutput'>> {
  return proxyActivities<Pick<MediaActivities, 'storeOutput'>>({
    taskQueue: queues().media,
    startToCloseTimeout: '6 hours',
    scheduleToCloseTimeout: '24 hours',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  });
}

/** Work on stored bytes: what fails five times over fails for a reason. */
export function studioActivities(): ActivityInterfaceFor<Omit<MediaActivities, 'storeOutput'>> {
  return proxyActivities<Omit<MediaActivities, 'storeOutput'>>({
    taskQueue: queues().media,
    startToCloseTimeout: '6 hours',
    scheduleToCloseTimeout: '24 hours',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType,
    retry: { initialInterval: '1 second', backoffCoefficient: 3, maximumInterval: '1 minute', maximumAttempts: 5 },
  });
}

/** The words of the failure that ended an activity, or of the last one before its time ran out. */
export function reasonOf(failure: ActivityFailure): string {
  const { cause } = failure;
  if (cause instanceof TimeoutFailure && cause.cause !== undefined) return cause.cause.message;
  return cause?.message ?? failure.message;
}

/** Where the next attempt would come too late, the server gives up at once, and the cause is the last failure. */
export function isTimeout(error: unknown): boolean {
  return error instanceof ActivityFailure && (error.retryState === 'TIMEOUT' || error.cause instanceof TimeoutFailure);
}

function queues(): ReturnType<typeof activityQueues> {
  return activityQueues(workflowInfo().taskQueue);
}
