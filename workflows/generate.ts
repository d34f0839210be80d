import { setHandler } from '@temporalio/workflow';
import type { GenerateInput, TakeOutcome } from '../contracts/workflows';
import { openDecisionDesk } from './decision-desk';
import { taskStatusQuery } from './messages';
import { openNarration } from './narrate';
import { openPermits } from './permits';
import { endOfTask, parkOfTask } from './row-end';
import { openRowReport } from './row-report';
import { openTimedTask } from './timed-task';
import { openTurns } from './turns';

/** One task of any model by itself: video, image or text, by submit or execute. Parks where a shot would. */
export async function generate(input: GenerateInput): Promise<TakeOutcome> {
  let ended: TakeOutcome | null = null;
  const desk = openDecisionDesk();
  const turns = openTurns();
  const narrate = openNarration(input);
  const report = openRowReport(input.row);
  const task = openTimedTask(input);
  setHandler(taskStatusQuery, () => ended ?? desk.parked()[0] ?? null);
  narrate('rendering', input.model);
  ended = await task.run({
    desk,
    permits: openPermits(),
    turns,
    isRenewed: () => report.isAskedAnew(),
    listener: {
      accepted(take) {
        narrate('rendering', `task ${take.taskId ?? ''} at the gateway`);
      },
      followed(take) {
        narrate('rendering', `take ${take.take} failed; another one follows`);
      },
      parked(parked) {
        narrate('parked', parked.reason);
        report.parked(parkOfTask(parked, task));
      },
      resumed() {
        narrate('rendering', 'goes on');
        report.resumed();
      },
    },
  });
  narrate(ended.state, ended.reason ?? '');
  await report.ended(endOfTask(ended));
  return ended;
}
