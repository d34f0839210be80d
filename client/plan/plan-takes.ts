import { type ShotAction } from '../../contracts/render-plan';
import { type TakeHistory } from '../../store';
import { type CurrentShot } from '../records/current-takes';
import { type PlannedTake } from './plan-take';

/** The plan of a shot, combined from the plans of its takes side by side. */
export interface PlannedTakes extends PlannedTake {
  readonly take: number;
  /** Number of takes to pay for. */
  readonly newTakes: number;
}

/** Actions of takes, best first: a usable take, one to come, one that needs a person. */
const BEST_FIRST: readonly ShotAction[] = ['reused', 'collected', 'again', 'waits', 'failed', 'skipped'];

/**
 * Combines the plans of a shot's takes side by side; undefined if all of them are new.
 *
 * @param planOf what a render does with a take; undefined for a take that was never sent.
 */
export function planTakes(
  { siblings, choice, take: stands }: CurrentShot,
  planOf: (take: TakeHistory) => PlannedTake | undefined,
): PlannedTakes | undefined {
  const plans = siblings.map((take) => (take === undefined ? undefined : planOf(take)));
  const unasked = plans.filter((plan) => plan === undefined).length;
  if (choice !== undefined && stands !== undefined) {
    const plan = planOf(stands);
    // The chosen take replaces the first one if that was never requested. The other takes are not retried.
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
  // A take that waits for a person does not delay the shot while another is rendered.
  return { ...best, action: stays || newTakes === 0 ? best.action : 'again', newTakes };
}
