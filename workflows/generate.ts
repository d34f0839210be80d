import { setHandler } from '@temporalio/workflow';
import type { ShotInput, ShotOutcome } from '../contracts/workflows';
import { openDecisionDesk } from './decision-desk';
import { taskStatusQuery } from './messages';
import { narrate } from './narrate';
import { runShot } from './run-shot';

/** One task of any model by itself: video, image or text, by submit or execute. Parks where a shot would. */
export async function generate(input: ShotInput): Promise<ShotOutcome> {
  let ended: ShotOutcome | null = null;
  const desk = openDecisionDesk();
  setHandler(taskStatusQuery, () => ended ?? desk.parked());
  narrate(input, 'rendering', input.model);
  ended = await runShot(input, desk, {
    accepted(take) {
      narrate(input, 'rendering', `task ${take.taskId ?? ''} at the gateway`);
    },
    parked(parked) {
      narrate(input, 'parked', parked.reason);
    },
    resumed() {
      narrate(input, 'rendering', 'goes on');
    },
  });
  narrate(input, ended.state, ended.reason ?? '');
  return ended;
}
