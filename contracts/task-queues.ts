import type { Tenancy } from './identifiers';

/**
 * The queue of an account's and a store's workflows: a worker with another ledger or another key never sees this work.
 */
export function workflowQueue({ account, storeId }: Tenancy): string {
  return `dailies-${account}-${storeId}`;
}

/**
 * The queues of the activities, beside the workflows' own.
 *
 * Kept apart so that a flood of polls cannot delay a submit, nor a long assembly a poll.
 */
export interface ActivityQueues {
  readonly submits: string;
  readonly polls: string;
  readonly media: string;
}

/** Workflows find them from the queue that they run on, so no input has to carry them. */
export function activityQueues(queueOfWorkflows: string): ActivityQueues {
  return {
    submits: `${queueOfWorkflows}-submits`,
    polls: `${queueOfWorkflows}-polls`,
    media: `${queueOfWorkflows}-media`,
  };
}
