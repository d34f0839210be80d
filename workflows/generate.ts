import { setHandler } from '@temporalio/workflow';
import type { GenerateInput, TakeOutcome } from '../contracts/workflows';
import { openDecisionDesk } from './decision-desk';
import { taskStatusQuery } from './messages';
import { openNarration } from './narrate';
import { openPermits } from './permits';
import { runTake } from './run-take';

/** One task of any model by itself: video, image or text, by submit or execute. Parks where a shot would. */
export async function generate(input: GenerateInput): Promise<TakeOutcome> {
  let ended: TakeOutcome | null = null;
  const desk = openDecisionDesk();
  const narrate = openNarration(input);
  setHandler(taskStatusQuery, () => ended ?? desk.parked()[0] ?? null);
  narrate('rendering', input.model);
  ended = await runTake(input, {
    desk,
    permits: openPermits(),
    listener: {
      accepted(take) {
        narrate('rendering', `task ${take.taskId ?? ''} at the gateway`);
      },
      followed(take) {
        narrate('rendering', `take ${take.take} failed; another one follows`);
      },
      parked(parked) {
        narrate('parked', parked.reason);
      },
      resumed() {
        narrate('rendering', 'goes on');
      },
    },
  });
  narrate(ended.state, ended.reason ?? '');
  return ended;
}
