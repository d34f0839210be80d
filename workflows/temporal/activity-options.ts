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
import type { BatchActivities } from '../../contracts/batch';
import type { DecidedBy } from '../../contracts/decision';
import type { ScheduleActivities } from '../../contracts/scheduled-run';
import { activityQueues } from '../../contracts/task-queues';

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

/** A person waits for the answer to a decision; a policy does not. */
const DECISION_PATIENCE = { person: '1 minute', policy: SUBMIT_PATIENCE } as const;

/** A person waits meanwhile; an assembly of the same worker may have to let go of ffmpeg first. */
const PREPARING_PATIENCE = '10 minutes';

/** An account may have 100,000 takes: seconds on a disk of one's own, and on a share that is far away far more. */
const SURVEY_ATTEMPT = '6 hours';

/** Disks stay full, and machines off, over a weekend. */
const STUDIO_PATIENCE = '7 days';

/** How long a notice is posted to a receiver that is away; after a day it tells nothing new. */
const NOTICE_PATIENCE = '24 hours';

/** Longer than the longest request and the noting of its answer. */
const SUBMIT_ATTEMPT = '10 minutes';

/**
 * Whatever is waited for, the activity says how long. What it cannot say is that its worker is gone: then another goes on
 * soon, however often it was tried before.
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

/** The checking and noting of a decision or a choice, and what money they rest on. */
export function decisionActivities(
  by: DecidedBy,
): ActivityInterfaceFor<
  Pick<DecisionActivities, 'decide' | 'chooseTake' | 'lookUpSpending' | 'lookUpTimes' | 'applyFallback'>
> {
  return besideWorkflows(DECISION_PATIENCE[by]);
}

/** What a person's own clip needs before it is decided on. */
export function preparingActivities(): ActivityInterfaceFor<Pick<DecisionActivities, 'prepareClip'>> {
  return besideWorkflows(PREPARING_PATIENCE);
}

/** A look at all that an account ever sent: it begins anew where an attempt ends before it, and its beats say that it goes on. */
export function surveyActivities(): ActivityInterfaceFor<Pick<DecisionActivities, 'survey'>> {
  return besideWorkflows(SUBMIT_PATIENCE, SURVEY_ATTEMPT);
}

/** A run begins when the store serves it. */
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

/** Reads and notes of the store. No batch goes on without them; a disk may be full, or the batch held, for long. */
export function batchActivities(): ActivityInterfaceFor<BatchActivities> {
  return proxyActivities<BatchActivities>({
    startToCloseTimeout: '2 minutes',
    scheduleToCloseTimeout: STUDIO_PATIENCE,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 seconds' },
  });
}

/** On the queue of the workflows, whose workers have slots of their own for it. */
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

/**
 * Work on stored bytes, at no cost. It ends when it is done or when the activity says that it cannot be done: workers
 * that are killed or replaced meanwhile say nothing about it.
 */
export function studioActivities(): ActivityInterfaceFor<Pick<MediaActivities, 'lastFrame' | 'assembleFilm'>> {
  return proxyActivities<Pick<MediaActivities, 'lastFrame' | 'assembleFilm'>>({
    taskQueue: queues().media,
    startToCloseTimeout: '6 hours',
    scheduleToCloseTimeout: STUDIO_PATIENCE,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  });
}

/** An archive is worth some attempts, and no production waits for it any longer. */
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

/** The delivery of a notice: the one place where it is posted again. @param summary for Temporal's UI. */
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

/** After that, some attempts as soon as a worker runs. */
export function lastNoticeTry(summary: string): ActivityInterfaceFor<Pick<NoticeActivities, 'deliverNotice'>> {
  return proxyActivities<Pick<NoticeActivities, 'deliverNotice'>>({
    taskQueue: queues().notices,
    startToCloseTimeout: '1 minute',
    scheduleToCloseTimeout: STUDIO_PATIENCE,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType,
    summary,
    retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '1 minute', maximumAttempts: 3 },
  });
}

/** Worth some attempts: what came of a notice is in its own history too. */
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
