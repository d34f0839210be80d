import { isCancellation } from '@temporalio/workflow';
import type { Lease } from '../../contracts/arbiter';
import type { GenerateInput } from '../../contracts/workflows';
import type { OnAccepted, TaskRun } from './collect-task';
import { runTask } from './run-task';
import type { Preemption } from './preempt-unsent';
import type { LeaseClient } from './lease-client';

/** One run of a task, which is sent when the account's arbiter grants it. Where no limit is in force, nobody is asked. */
export async function runWithLease(
  input: GenerateInput,
  onAccepted: OnAccepted,
  { leaseClient, preemption }: { readonly leaseClient: LeaseClient; readonly preemption: Preemption },
): Promise<Exclude<TaskRun, { state: 'unleased' }>> {
  let lease: Lease | null = null;
  let arbiter: string | undefined;
  /** How often in vain. */
  let asked = 0;
  /** No attempt can use it any more. */
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

/** Ends in which the lease may not have been used. */
function mayBeUnsent(ran: TaskRun): boolean {
  return UNSENT.has(ran.state) || (ran.state === 'failed' && ran.take === null);
}

const UNSENT: ReadonlySet<TaskRun['state']> = new Set(['cancelled', 'skipped', 'unreserved']);
