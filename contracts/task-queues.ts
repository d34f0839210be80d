import type { Tenancy } from './identifiers';

/**
 * Returns the task queue for the workflows of an account and store. Workers of another account or store never get this
 * work.
 *
 * @param name prefix of the queue. Workers with workflows of your own need another prefix. Default: `dailies`.
 */
export function workflowQueue({ account, storeId }: Tenancy, name = 'dailies'): string {
  return `${name}-${account}-${storeId}`;
}

/**
 * Task queues of the activities that do not use the workflows' own queue.
 *
 * They are separate so that many polls cannot delay a submit, a long assembly cannot delay a poll, and a hanging
 * receiver of notices delays nothing else.
 */
export interface ActivityQueues {
  readonly submits: string;
  readonly polls: string;
  readonly media: string;
  readonly notices: string;
}

/** Derives the activities' queues from the workflow's own queue, so that no input has to carry them. */
export function activityQueues(queueOfWorkflows: string): ActivityQueues {
  return {
    submits: `${queueOfWorkflows}-submits`,
    polls: `${queueOfWorkflows}-polls`,
    media: `${queueOfWorkflows}-media`,
    notices: `${queueOfWorkflows}-notices`,
  };
}
