import { type ShotAction } from '../../contracts/render/render-plan';
import { ledgerState, type TakeHistory } from '../../store';
import { type CurrentShot } from '../records/current-takes';
import { type PlannedTake } from './plan-take';

/** The combined plan of a shot's takes side by side. */
export interface PlannedTakes extends PlannedTake {
  /** The number of the take that the action is about. */
  readonly take: number;
  /** The number of takes to pay for. */
  readonly newTakes: number;
}

/**
 * Without a chosen take, a shot with takes side by side gets the first action in this list that any of its takes has.
 * An unsent take has the action `again`.
 */
const BEST_FIRST: readonly ShotAction[] = ['reused', 'collected', 'again', 'waits', 'failed', 'skipped'];

/**
 * Combines the plans of a shot's takes side by side; undefined if no take was sent. If a take is chosen, its action is
 * the shot's action.
 *
 * @param planOf plans one take, as `planTake` does.
 */
export function planTakes(
  { siblings, choice, take: current }: CurrentShot,
  planOf: (take: TakeHistory) => PlannedTake | undefined,
): PlannedTakes | undefined {
  const plans = siblings.map((take) => (take === undefined ? undefined : planOf(take)));
  const unsent = plans.filter((plan) => plan === undefined).length;
  if (choice !== undefined && current !== undefined) {
    const plan = planOf(current);
    // If the first sibling has no take, the chosen take counts as its take, and nothing is paid for it. Failed takes are
    // not retried, but a take whose last sending was refused for now, for example for lack of credits, is sent again.
    const again = siblings.filter(
      (take, sibling) =>
        take !== undefined && plans[sibling]?.action === 'again' && ledgerState(take).is === 'sendable',
    );
    const newTakes = unsent - (siblings[0] === undefined ? 1 : 0) + again.length;
    return plan === undefined ? undefined : { ...plan, take: current.take, newTakes };
  }
  const sent = plans.flatMap((plan, sibling) => {
    const take = siblings[sibling]?.take;
    return plan === undefined || take === undefined ? [] : [{ ...plan, take }];
  });
  const best = BEST_FIRST.flatMap((action) => {
    const alike = sent.filter((plan) => plan.action === action);
    return alike.find(({ take }) => take === current?.take) ?? alike[0] ?? [];
  })[0];
  if (best === undefined) return undefined;
  const newTakes = unsent + sent.filter(({ action }) => action === 'again').length;
  const isUsable = best.action === 'reused' || best.action === 'collected';
  // A take that waits for a person does not delay the shot while another take is rendered.
  if (isUsable || newTakes === 0) return { ...best, newTakes };
  return { action: 'again', reason: best.reason, take: best.take, newTakes };
}
