import { type ShotAction } from '../../contracts/render-plan';
import { type TakeHistory } from '../../store';
import { type CurrentShot } from '../current-takes';
import { type PlannedTake } from './plan-take';

/** What becomes of a shot, by what becomes of its takes side by side. */
export interface PlannedTakes extends PlannedTake {
  readonly take: number;
  /** How many of them are to be paid for. */
  readonly newTakes: number;
}

/** What a take can come to, from what suits the shot best: one that stands, one to come, one that only people can mend. */
const BEST_FIRST: readonly ShotAction[] = ['reused', 'collected', 'again', 'waits', 'failed', 'skipped'];

/**
 * Folds the plans of a shot's takes side by side into the shot's own; undefined if each of them is new.
 *
 * @param planOf what a render does with a take; undefined for one that was never sent.
 */
export function planTakes(
  { siblings, choice, take: stands }: CurrentShot,
  planOf: (take: TakeHistory) => PlannedTake | undefined,
): PlannedTakes | undefined {
  const plans = siblings.map((take) => (take === undefined ? undefined : planOf(take)));
  const unasked = plans.filter((plan) => plan === undefined).length;
  if (choice !== undefined && stands !== undefined) {
    const plan = planOf(stands);
    // It stands in for the first that nobody has asked for; of the others none that is over is tried again.
    const newTakes = unasked - (siblings[0] === undefined ? 1 : 0);
    return plan === undefined ? undefined : { ...plan, take: stands.take, newTakes };
  }
  const known = plans.flatMap((plan, sibling) => {
    const take = siblings[sibling]?.take;
    return plan === undefined || take === undefined ? [] : [{ ...plan, take }];
  });
  const best = BEST_FIRST.flatMap((action) => {
    const alike = known.filter((plan) => plan.action === action);
    return alike.find(({ take }) => take === stands?.take) ?? alike[0] ?? [];
  })[0];
  if (best === undefined) return undefined;
  const newTakes = unasked + known.filter(({ action }) => action === 'again').length;
  const stays = best.action === 'reused' || best.action === 'collected';
  // One that waits for people holds nothing back while another is rendered.
  return { ...best, action: stays || newTakes === 0 ? best.action : 'again', newTakes };
}
