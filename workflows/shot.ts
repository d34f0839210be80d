import { getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import type { TakeProgress } from '../contracts/take';
import type { ShotInput, ShotOutcome } from '../contracts/workflows';
import { shotProgressSignal } from './messages';
import { narrate } from './narrate';
import { runTask } from './run-task';

/**
 * One shot of a production: pays for its take, waits for it, and brings it home.
 *
 * A workflow of its own, so that it can be found, watched and reset by itself, and so that a reset of its production
 * finds it running. It ends with an outcome, never with an error.
 */
export async function shot(input: ShotInput): Promise<ShotOutcome> {
  const { shotId } = input.task;
  narrate(input, 'rendering', `waiting for the gateway to accept the task (${input.model})`);
  const outcome = await runTask(input, (take) => {
    if (take.state === 'rendering') {
      narrate(input, 'rendering', `take ${take.take}: task ${take.taskId ?? ''} at the gateway`);
      tellProduction(shotId, take);
    }
  });
  narrate(input, outcome.state, outcome.reason ?? `take ${outcome.take?.take ?? 0}`);
  return outcome;
}

/** A production that is gone needs no telling: the ledger knows, and the next render asks it. */
function tellProduction(shotId: string, take: TakeProgress): void {
  const { parent } = workflowInfo();
  if (parent === undefined) return;
  getExternalWorkflowHandle(parent.workflowId)
    .signal(shotProgressSignal, { shotId, take })
    .catch(() => undefined);
}
