import { isHeld } from './restored';
import { type TakeHistory } from '../ledger/take-history';

/**
 * Why the policy `onUnclear: resubmit` must not send an unclear take again; undefined if it may. The policy does not
 * apply if the take was sent again before, or if a restored ledger may have lost a sending.
 */
export function objectionToPolicy(history: TakeHistory): string | undefined {
  if (isHeld(history)) return 'the ledger was restored or copied; a person has to decide';
  if (history.decisions.some(({ kind }) => kind === 'resubmit')) return 'the take was sent again once already';
  return undefined;
}
