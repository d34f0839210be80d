import { isCancellation } from '@temporalio/workflow';
import type { Lease } from '../../contracts/arbiter';
import type { GenerateInput } from '../../contracts/workflows';
import type { OnAccepted, TaskRun } from './collect-task';
import { runTask } from './run-task';
import type { Preemption } from './preempt-unsent';
import type { LeaseClient } from './lease-client';

/** Runs a task once, after the account's arbiter has granted its sending. Without limits the arbiter is not asked. */
export async function runWithLease(
  input: GenerateInput,
  onAccepted: OnAccepted,
  { leaseClient, preemption }: { readonly leaseClient: LeaseClient; readonly preemption: Preemption },
): Promise<Exclude<TaskRun, { state: 'unleased' }>> {
  let lease: Lease | null = null;
  let arbiter: string | undefined;
  /** Number of requests since the last lease. */
  let asked = 0;
  /** Returns the lease. No attempt can use it any more. */
  const giveBack = async (): Promise<void> => {
    if (lease !== null) await leaseClient.cancelled({ ...lease, ...(arbiter === undefined ? {} : { arbiter }) });
  };
  for (;;) {
    const ran = await runTask(lease === null ? input : { ...input, task: { ...input.task, lease } }, onAccepted);
    if (ran.state !== 'unleased') {
      if (mayBeUnsent(ran)) await giveBack();
      return ran;
    }
    if (!ran.isAsked) {
      await giveBack();
      lease = null;
      continue;
    }
    asked = lease === null ? asked + 1 : 1;
    arbiter = ran.wanted.arbiter;
    try {
      const tried: Lease | null = lease;
      const wait = (isOver: () => boolean): Promise<Lease | null> =>
        leaseClient.wait(ran.wanted, { tried, asked, isOver });
      lease = await preemption.whileUnsent(wait);
      if (preemption.wasPreempted()) return { state: 'cancelled' };
    } catch (error) {
      if (!isCancellation(error)) throw error;
      return { state: 'cancelled' };
    }
  }
}

/** Whether the lease may not have been used. */
function mayBeUnsent(ran: TaskRun): boolean {
  return UNSENT.has(ran.state) || (ran.state === 'failed' && ran.take === null);
}

const UNSENT: ReadonlySet<TaskRun['state']> = new Set(['cancelled', 'skipped', 'unreserved']);
