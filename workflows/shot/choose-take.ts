import { CancellationScope } from '@temporalio/workflow';
import type { StandingChoice } from '../../contracts/activities';
import type { TakeProgress } from '../../contracts/take';
import type { Choice } from '../../contracts/directing';
import type { ShotInput } from '../../contracts/workflows';
import { decisionActivities } from '../temporal/activity-options';
import { collectTask } from '../take/collect-task';
import { failure } from '../temporal/fail';

/** A take that is chosen for a shot, with its output in the store. */
export interface ChosenTake {
  readonly take: TakeProgress;
  readonly approved: boolean;
}

/** Whether there is nothing to choose: a shot with one take and no review has that take, and no choice is recorded. */
export function isPlain({ takes, review, directed }: ShotInput): boolean {
  return takes === 1 && review === null && !directed;
}

/** The take that was chosen before this run; null if there is none or its output has to be collected first. */
export async function chosenBefore(input: ShotInput): Promise<ChosenTake | null> {
  const stands = await standing(input, null, 'first');
  return stands?.taken.state === 'completed' ? collectChosen(input, stands) : null;
}

/**
 * Records a choice, and returns the chosen take, which may be another one.
 *
 * @throws ActivityFailure, and ApplicationFailure if the output of the chosen take is lost.
 */
export async function choose(input: ShotInput, take: TakeProgress, by: Choice['by']): Promise<ChosenTake> {
  const stands = await standing(input, take, by);
  if (stands === null) throw failure('ChoiceLost', `take ${take.take} cannot stand for the shot any more`);
  return collectChosen(input, stands);
}

/**
 * Not cancellable, since a completed take stays chosen for later renders. A person waits for the answer; a shot can
 * wait longer.
 */
function standing({ task }: ShotInput, wanted: TakeProgress | null, by: Choice['by']): Promise<StandingChoice | null> {
  const { chooseTake } = decisionActivities(by === 'person' ? 'person' : 'policy');
  return CancellationScope.nonCancellable(() =>
    chooseTake({ task, ...(wanted === null ? { take: null } : numberAndKey(wanted)), by }),
  );
}

function numberAndKey({ take, takeKey }: TakeProgress): { readonly take: number; readonly takeKey: string } {
  return { take, takeKey };
}

async function collectChosen(input: ShotInput, { approved, taken }: StandingChoice): Promise<ChosenTake> {
  const run = await collectTask(input, taken, () => undefined);
  if (run.state === 'completed') return { take: run.take, approved };
  const why = run.state === 'parked' ? run.parked.reason : run.state;
  throw failure('ChoiceLost', `take ${taken.take.take} is chosen, and what it left is not to be had any more: ${why}`);
}
