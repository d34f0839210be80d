import { getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import type { ShotInput, ShotOutcome, ShotProgress } from '../contracts/workflows';
import { openDecisionDesk } from './decision-desk';
import { shotProgressSignal } from './messages';
import { narrate } from './narrate';
import { runShot } from './run-shot';

/**
 * One shot of a production: pays for its take, waits for it, and brings it home. Where it cannot go on by itself it
 * is parked, and waits at no cost for a person's decision.
 *
 * A workflow of its own, so that it can be found, watched and reset by itself, and so that a reset of its production
 * finds it running. It ends with an outcome, never with an error.
 */
export async function shot(input: ShotInput): Promise<ShotOutcome> {
  const { shotId } = input.task;
  const desk = openDecisionDesk();
  narrate(input, 'rendering', `waiting for the gateway to accept the task (${input.model})`);
  const outcome = await runShot(input, desk, {
    accepted(take) {
      narrate(input, 'rendering', `take ${take.take}: task ${take.taskId ?? ''} at the gateway`);
      tellProduction({ shotId, take, parked: null });
    },
    parked(parked) {
      narrate(input, 'parked', parked.reason);
      tellProduction({ shotId, take: parked.take, parked });
    },
    resumed(take) {
      narrate(input, 'rendering', 'goes on');
      tellProduction({ shotId, take, parked: null });
    },
  });
  narrate(input, outcome.state, outcome.reason ?? `take ${outcome.take?.take ?? 0}`);
  return outcome;
}

/** A production that is gone needs no telling: the ledger knows, and the next render asks it. */
function tellProduction(progress: ShotProgress): void {
  const { parent } = workflowInfo();
  if (parent === undefined) return;
  getExternalWorkflowHandle(parent.workflowId)
    .signal(shotProgressSignal, progress)
    .catch(() => undefined);
}
