import {
  type ActivityInterfaceFor,
  ActivityCancellationType,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  DecisionActivities,
  MediaActivities,
  NoticeActivities,
  PollActivities,
  SubmitActivities,
} from '../../contracts/activities';
import type { BatchActivities } from '../../contracts/render/batch';
import type { DecidedBy } from '../../contracts/render/decision';
import type { ScheduleActivities } from '../../contracts/render/scheduled-run';
import { activityQueues } from '../../contracts/task-queues';

/**
 * The activities with their timeouts, per attempt and in total.
 *
 * A workflow that cancels an activity waits until the activity has ended, so that it does not lose track of paid work.
 * It does not wait for the activities of batches, since they pay for nothing.
 */

/** If an attempt sends no heartbeat for this long, its worker counts as lost, and the activity is retried. */
const HEARTBEAT_TIMEOUT = '5 seconds';

/** Longest delay between attempts of submits, polls and notices, and the cap of Retry-After (`RETRY_AFTER_MAX_MS`). */
const LONGEST_DELAY = '1 hour';

const cancellationType = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;

/**
 * Total time of a submit, and of other activities that wait for the store or the gateway. After this time, the workflow
 * schedules a submit again, so a take waits without limit while the gateway throttles or is down.
 */
const SUBMIT_PATIENCE = '24 hours';

/** A person waits for the answer to a decision; a policy does not. */
const DECISION_PATIENCE = { person: '1 minute', policy: SUBMIT_PATIENCE } as const;

/** A person waits for the prepared clip, but an assembly on the same worker may have to finish with ffmpeg first. */
const PREPARING_PATIENCE = '10 minutes';

/** An account may have 100,000 takes. Reading them takes seconds on a local disk, and far longer on a remote share. */
const SURVEY_ATTEMPT = '6 hours';

/** A disk may stay full, or a machine off, over a weekend. */
const STORE_WORK_PATIENCE = '7 days';

/** How long the delivery of a notice is retried. After a day its news is old. */
const NOTICE_PATIENCE = '24 hours';

/** Time of one attempt to submit: longer than the longest request and the recording of its answer. */
const SUBMIT_ATTEMPT = '10 minutes';

/**
 * Submits and look-ups of tasks.
 *
 * The activity sets the delay of its own retries. After the loss of its worker, the delay is always one second.
 */
export function submitActivities(): ActivityInterfaceFor<SubmitActivities> {
  return proxyActivities<SubmitActivities>({
    taskQueue: queues().submits,
    startToCloseTimeout: SUBMIT_ATTEMPT,
    scheduleToCloseTimeout: SUBMIT_PATIENCE,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType,
    retry: { initialInterval: '1 second', backoffCoefficient: 1, maximumInterval: LONGEST_DELAY },
  });
}

/** Activities that record decisions and choices, look up charges and times, and apply fallbacks. */
export function decisionActivities(
  by: DecidedBy,
): ActivityInterfaceFor<
  Pick<DecisionActivities, 'decide' | 'chooseTake' | 'lookUpSpending' | 'lookUpTimes' | 'applyFallback'>
> {
  return besideWorkflows(DECISION_PATIENCE[by]);
}

/** Prepares a user's own clip before the decision about it. */
export function preparingActivities(): ActivityInterfaceFor<Pick<DecisionActivities, 'prepareClip'>> {
  return besideWorkflows(PREPARING_PATIENCE);
}

/**
 * Reads the leases of an account and, in a survey of the whole account, all its takes. A new attempt starts from the
 * beginning, so each attempt may last for hours.
 */
export function surveyActivities(): ActivityInterfaceFor<Pick<DecisionActivities, 'survey'>> {
  return besideWorkflows(SUBMIT_PATIENCE, SURVEY_ATTEMPT);
}

/** Activities of scheduled runs. They are retried for a day. */
export function scheduleActivities(): ActivityInterfaceFor<ScheduleActivities> {
  return proxyActivities<ScheduleActivities>({
    taskQueue: workflowInfo().taskQueue,
    startToCloseTimeout: PREPARING_PATIENCE,
    scheduleToCloseTimeout: SUBMIT_PATIENCE,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  });
}

/**
 * Activities that read and write the store for batches. A batch cannot continue without them, so they are retried for
 * days: the disk may be full, and `openRows` fails while the batch is paused.
 */
export function batchActivities(): ActivityInterfaceFor<BatchActivities> {
  return proxyActivities<BatchActivities>({
    startToCloseTimeout: '2 minutes',
    scheduleToCloseTimeout: STORE_WORK_PATIENCE,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 seconds' },
  });
}

/** Activities on the workflows' queue. Workers have separate slots for these activities. */
function besideWorkflows(
  patience: (typeof DECISION_PATIENCE)[DecidedBy] | typeof PREPARING_PATIENCE,
  attempt: typeof PREPARING_PATIENCE | typeof SURVEY_ATTEMPT = PREPARING_PATIENCE,
): ActivityInterfaceFor<DecisionActivities> {
  return proxyActivities<DecisionActivities>({
    taskQueue: workflowInfo().taskQueue,
    startToCloseTimeout: attempt,
    scheduleToCloseTimeout: patience,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 seconds' },
  });
}

/** Polls by retries, which add no history and end at the deadline. The activity sets their delay. */
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

/** Collects a task's output. Retried after a stalled download, and while the disk is full. */
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

/** Last frames and films, at no cost. Retried for days, even if workers are killed or replaced meanwhile. */
export function studioActivities(): ActivityInterfaceFor<Pick<MediaActivities, 'lastFrame' | 'assembleFilm'>> {
  return proxyActivities<Pick<MediaActivities, 'lastFrame' | 'assembleFilm'>>({
    taskQueue: queues().media,
    startToCloseTimeout: '6 hours',
    scheduleToCloseTimeout: STORE_WORK_PATIENCE,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  });
}

/** A few attempts to archive a production; the production does not wait longer. */
export function archiveActivities(): ActivityInterfaceFor<Pick<MediaActivities, 'archiveProduction'>> {
  return proxyActivities<Pick<MediaActivities, 'archiveProduction'>>({
    taskQueue: queues().media,
    startToCloseTimeout: '1 minute',
    scheduleToCloseTimeout: '24 hours',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType,
    retry: { initialInterval: '1 second', backoffCoefficient: 3, maximumInterval: '1 minute', maximumAttempts: 5 },
  });
}

/**
 * Delivery of a notice. Only this retry policy and that of `lastNoticeTry` repeat posts.
 *
 * @param summary shown in Temporal's UI.
 */
export function noticeActivities(summary: string): ActivityInterfaceFor<Pick<NoticeActivities, 'deliverNotice'>> {
  return proxyActivities<Pick<NoticeActivities, 'deliverNotice'>>({
    taskQueue: queues().notices,
    startToCloseTimeout: '1 minute',
    scheduleToCloseTimeout: NOTICE_PATIENCE,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType,
    summary,
    retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: LONGEST_DELAY },
  });
}

/** A few further attempts after `NOTICE_PATIENCE`, as soon as a worker runs. */
export function lastNoticeTry(summary: string): ActivityInterfaceFor<Pick<NoticeActivities, 'deliverNotice'>> {
  return proxyActivities<Pick<NoticeActivities, 'deliverNotice'>>({
    taskQueue: queues().notices,
    startToCloseTimeout: '1 minute',
    scheduleToCloseTimeout: STORE_WORK_PATIENCE,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType,
    summary,
    retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '1 minute', maximumAttempts: 3 },
  });
}

/** A few attempts to record that a notice was not delivered. The notice's own workflow also has this outcome. */
export function noticeNotes(): ActivityInterfaceFor<Pick<NoticeActivities, 'noteUndelivered'>> {
  return proxyActivities<Pick<NoticeActivities, 'noteUndelivered'>>({
    taskQueue: queues().notices,
    startToCloseTimeout: '1 minute',
    scheduleToCloseTimeout: NOTICE_PATIENCE,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType,
    retry: { initialInterval: '1 second', backoffCoefficient: 3, maximumInterval: '1 minute', maximumAttempts: 5 },
  });
}

function queues(): ReturnType<typeof activityQueues> {
  return activityQueues(workflowInfo().taskQueue);
}
