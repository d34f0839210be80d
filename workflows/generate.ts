import { setHandler } from '@temporalio/workflow';
import type { ShotInput, ShotOutcome } from '../contracts/workflows';
import { taskStatusQuery } from './messages';
import { narrate } from './narrate';
import { runTask } from './run-task';

/** One task of any model by itself: video, image or text, by submit or execute. */
export async function generate(input: ShotInput): Promise<ShotOutcome> {
  let known: ShotOutcome | null = null;
  setHandler(taskStatusQuery, () => known);
  narrate(input, 'rendering', input.model);
  const outcome = await runTask(input, (take) => {
    known = { state: 'completed', reason: null, take, output: null };
  });
  narrate(input, outcome.state, outcome.reason ?? '');
  return outcome;
}
