import { getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import type { TakeProgress } from '../contracts/take';
import type { Parked, ShotInput, ShotOutcome, ShotProgress } from '../contracts/workflows';
import { openDecisionDesk } from './decision-desk';
import { reportProgressSignal, shotProgressSignal } from './messages';
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
  let last: ShotProgress | undefined;
  const tell = (take: TakeProgress, parked: Parked | null): void => {
    last = { shotId, take, parked };
    tellProduction(last);
  };
  setHandler(reportProgressSignal, () => {
    if (last !== undefined) tellProduction(last);
  });
  narrate(input, 'rendering', `waiting for the gateway to accept the task (${input.model})`);
  const outcome = await runShot(input, desk, {
    accepted(take) {
      narrate(input, 'rendering', `take ${take.take}: task ${take.taskId ?? ''} at the gateway`);
      tell(take, null);
    },
    parked(parked) {
      narrate(input, 'parked', parked.reason);
      tell(parked.take, parked);
    },
    resumed(take) {
      narrate(input, 'rendering', 'goes on');
      tell(take, null);
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
