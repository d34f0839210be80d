import type { Tenancy } from './identifiers';

/**
 * The queues of one account and one store: a worker with another ledger or another key never sees this work.
 *
 * Kept apart so that a flood of polls cannot delay a submit, nor a long assembly a poll.
 */
export interface TaskQueues {
  readonly workflows: string;
  readonly submits: string;
  readonly polls: string;
  readonly media: string;
}

export function taskQueues({ account, storeId }: Tenancy): TaskQueues {
  const prefix = `dailies-${account}-${storeId}`;
  return {
    workflows: prefix,
    submits: `${prefix}-submits`,
    polls: `${prefix}-polls`,
    media: `${prefix}-media`,
  };
}
