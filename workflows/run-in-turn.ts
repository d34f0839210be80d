import { isCancellation } from '@temporalio/workflow';
import type { Lease } from '../contracts/arbiter';
import type { GenerateInput } from '../contracts/workflows';
import type { OnAccepted, TaskRun } from './bring-home';
import { runTask } from './run-task';
import type { StandDown } from './stand-down';
import type { Turns } from './turns';

/** One run of a task, which is sent when the account's arbiter grants it. Where no limit is in force, nobody is asked. */
export async function runInTurn(
  input: GenerateInput,
  onAccepted: OnAccepted,
  { turns, standDown }: { readonly turns: Turns; readonly standDown: StandDown },
): Promise<Exclude<TaskRun, { state: 'unleased' }>> {
  let lease: Lease | null = null;
  /** How often in vain. */
  let asked = 0;
  for (;;) {
    const ran = await runTask(lease === null ? input : { ...input, task: { ...input.task, lease } }, onAccepted);
    if (ran.state !== 'unleased') {
      if (lease !== null && mayBeUnsent(ran)) await turns.cancelled(lease);
      return ran;
    }
    if (!ran.isAsked) {
      if (lease !== null) await turns.cancelled(lease);
      lease = null;
      continue;
    }
    asked = lease === null ? asked + 1 : 1;
    try {
      const tried: Lease | null = lease;
      const wait = (isOver: () => boolean): Promise<Lease | null> => turns.wait(ran.wanted, { tried, asked, isOver });
      lease = await standDown.whileUnsent(wait);
      if (standDown.hasStoodDown()) return { state: 'cancelled' };
    } catch (error) {
      if (!isCancellation(error)) throw error;
      return { state: 'cancelled' };
    }
  }
}

/** Ends in which the lease may not have been used. It is given back here, when no attempt can use it any more. */
function mayBeUnsent(ran: TaskRun): boolean {
  return UNSENT.has(ran.state) || (ran.state === 'failed' && ran.take === null);
}

const UNSENT: ReadonlySet<TaskRun['state']> = new Set(['cancelled', 'skipped', 'unreserved']);
