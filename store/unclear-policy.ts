import { isHeld } from './restored';
import { type TakeHistory } from './take-history';

/**
 * What speaks against sending an unclear take again because the production's file says `onUnclear: resubmit`; undefined
 * where nothing does. At most one further sending a take, and none that nobody saw.
 */
export function objectionToPolicy(history: TakeHistory): string | undefined {
  if (isHeld(history)) return 'the ledger was restored; a person has to decide';
  if (history.decisions.some(({ kind }) => kind === 'resubmit')) return 'the take was sent again once already';
  return undefined;
}
