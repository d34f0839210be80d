import { isHeld } from './restored';
import { type TakeHistory } from '../ledger/take-history';

/**
 * Why an unclear take must not be sent again under the file's `onUnclear: resubmit`; undefined if it may. The policy
 * allows one further sending per take, and none for a sending that a restored ledger may have lost.
 */
export function objectionToPolicy(history: TakeHistory): string | undefined {
  if (isHeld(history)) return 'the ledger was restored; a person has to decide';
  if (history.decisions.some(({ kind }) => kind === 'resubmit')) return 'the take was sent again once already';
  return undefined;
}
