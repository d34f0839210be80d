import { CancellationScope } from '@temporalio/workflow';
import type { RecordedChoice } from '../../contracts/activities';
import type { TakeProgress } from '../../contracts/render/take';
import type { Choice } from '../../contracts/render/directing';
import type { ShotInput } from '../../contracts/workflows';
import { decisionActivities } from '../temporal/activity-options';
import { collectTask } from '../take/collect-task';
import { failure } from '../temporal/fail';

/** The take that is chosen for a shot. Its output is in the store. */
export interface ChosenTake {
  readonly take: TakeProgress;
  readonly approved: boolean;
}

/** True if the shot has one take, no review, and no record of a choice or direction. No choice is recorded then. */
export function hasNoChoice({ takes, review, directed }: ShotInput): boolean {
  return takes === 1 && review === null && !directed;
}

/** The take that was chosen before this run; null if there is none, or if its output is not in the store. */
export async function chosenBefore(input: ShotInput): Promise<ChosenTake | null> {
  const recorded = await recordChoice(input, null, 'first');
  return recorded?.taken.state === 'completed' ? collectChosen(input, recorded) : null;
}

/**
 * Records a choice, and returns the chosen take. If an earlier choice may not be replaced (`mayReplace` in
 * activities/pay/choose-take), returns the take of the earlier choice.
 *
 * @throws ActivityFailure; ChoiceLost if the take can no longer be chosen, or if the chosen take's output is lost.
 */
export async function choose(input: ShotInput, take: TakeProgress, by: Choice['by']): Promise<ChosenTake> {
  const recorded = await recordChoice(input, take, by);
  if (recorded === null) throw failure('ChoiceLost', `take ${take.take} can no longer be chosen for the shot`);
  return collectChosen(input, recorded);
}

/**
 * Records a choice, or reads the recorded one if `wanted` is null.
 *
 * Not cancellable: the choice is recorded even if the shot is cancelled, so that later renders use the same take.
 */
function recordChoice(
  { task }: ShotInput,
  wanted: TakeProgress | null,
  by: Choice['by'],
): Promise<RecordedChoice | null> {
  const { chooseTake } = decisionActivities(by === 'person' ? 'person' : 'policy');
  return CancellationScope.nonCancellable(() =>
    chooseTake({ task, ...(wanted === null ? { take: null } : numberAndKey(wanted)), by }),
  );
}

function numberAndKey({ take, takeKey }: TakeProgress): { readonly take: number; readonly takeKey: string } {
  return { take, takeKey };
}

async function collectChosen(input: ShotInput, { approved, taken }: RecordedChoice): Promise<ChosenTake> {
  const run = await collectTask(input, taken, () => undefined);
  if (run.state === 'completed') return { take: run.take, approved };
  const why = run.state === 'parked' ? run.parked.reason : run.state;
  throw failure('ChoiceLost', `take ${taken.take.take} is chosen, but its output is lost: ${why}`);
}
