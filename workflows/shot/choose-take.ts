import { CancellationScope } from '@temporalio/workflow';
import type { StandingChoice } from '../../contracts/activities';
import type { TakeProgress } from '../../contracts/take';
import type { Choice } from '../../contracts/directing';
import type { ShotInput } from '../../contracts/workflows';
import { decisionActivities } from '../temporal/activity-options';
import { collectTask } from '../take/collect-task';
import { failure } from '../temporal/fail';

/** A take that is chosen for a shot, with its bytes in the store. */
export interface ChosenTake {
  readonly take: TakeProgress;
  readonly approved: boolean;
}

/** Whether there is anything to choose: a shot with one take and no review has that take, and nothing is noted. */
export function isPlain({ takes, review, directed }: ShotInput): boolean {
  return takes === 1 && review === null && !directed;
}

/** The take that was chosen before this run; null where none was, or its bytes have to be collected first. */
export async function chosenBefore(input: ShotInput): Promise<ChosenTake | null> {
  const stands = await standing(input, null, 'first');
  return stands?.taken.state === 'completed' ? collectChosen(input, stands) : null;
}

/**
 * Has a take chosen, and returns the one that stands, which may be another.
 *
 * @throws ActivityFailure, and ApplicationFailure where what stands is not to be had any more.
 */
export async function choose(input: ShotInput, take: TakeProgress, by: Choice['by']): Promise<ChosenTake> {
  const stands = await standing(input, take, by);
  if (stands === null) throw failure('ChoiceLost', `take ${take.take} cannot stand for the shot any more`);
  return collectChosen(input, stands);
}

/** Not to be cancelled: what has completed stands, also for a later render. A person waits for an answer, a shot can. */
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
