import type { Tenancy } from './identifiers';

/**
 * The queue of an account's and a store's workflows: a worker with another ledger or another key never sees this work.
 *
 * @param name of the workers; those with workflows of somebody's own have another one. Default: Dailies' own.
 */
export function workflowQueue({ account, storeId }: Tenancy, name = 'dailies'): string {
  return `${name}-${account}-${storeId}`;
}

/**
 * The queues of the activities, beside the workflows' own.
 *
 * Kept apart so that a flood of polls cannot delay a submit, nor a long assembly a poll, nor a receiver of notices that
 * hangs any of them.
 */
export interface ActivityQueues {
  readonly submits: string;
  readonly polls: string;
  readonly media: string;
  readonly notices: string;
}

/** Workflows find them from the queue that they run on, so no input has to carry them. */
export function activityQueues(queueOfWorkflows: string): ActivityQueues {
  return {
    submits: `${queueOfWorkflows}-submits`,
    polls: `${queueOfWorkflows}-polls`,
    media: `${queueOfWorkflows}-media`,
    notices: `${queueOfWorkflows}-notices`,
  };
}
