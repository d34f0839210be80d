import { type Permit } from '../../contracts/money/budget';
import { isRefused, isSkipped, ledgerState, type TakeHistory, type LedgerState } from '../../store';

/** The next step of an attempt to pay for a take. `n` is the number of the sending that is due. */
export type PayStep =
  /** A person skipped the take. */
  | { readonly do: 'skip' }
  /** Another attempt has begun the sending, but this machine does not see its record yet. */
  | { readonly do: 'wait-for-folder'; readonly n: number }
  | { readonly do: 'ask-budget'; readonly n: number }
  | { readonly do: 'send'; readonly n: number }
  /** Another attempt has begun the sending, and no outcome is recorded yet. */
  | { readonly do: 'wait-for-other'; readonly now: Extract<LedgerState, { is: 'sending' }> }
  /** Nothing is to be sent. The attempt reports the ledger's state `now`. */
  | { readonly do: 'report'; readonly now: Exclude<LedgerState, { is: 'sendable' | 'sending' }> };

export interface PayFacts {
  /** Null if the budget has not allowed the take yet; undefined if there is no budget. */
  readonly permit: Permit | null | undefined;
  /** Number of the sending that this attempt has tried to begin; 0 if there is none. */
  readonly triedSending: number;
}

/**
 * Decides the next step of an attempt to pay for a take.
 *
 * | the take in the ledger                                | next step         |
 * | ----------------------------------------------------- | ----------------- |
 * | skipped by a person                                   | `skip`            |
 * | sendable, and this attempt tried this sending before  | `wait-for-folder` |
 * | sendable, with a budget that has not allowed it       | `ask-budget`      |
 * | sendable                                              | `send`            |
 * | being sent by another attempt                         | `wait-for-other`  |
 * | anything else                                         | `report`          |
 */
export function payStep(history: TakeHistory, { permit, triedSending }: PayFacts): PayStep {
  if (isSkipped(history)) return { do: 'skip' };
  const now = ledgerState(history);
  switch (now.is) {
    case 'sendable':
      if (now.n === triedSending) return { do: 'wait-for-folder', n: now.n };
      return { do: permit === undefined || isAllowed(permit, history) ? 'send' : 'ask-budget', n: now.n };
    case 'sending':
      return { do: 'wait-for-other', now };
    default:
      return { do: 'report', now };
  }
}

/** True if the permit is for this take and is unused: all sendings since the permit, if any, were refused. */
function isAllowed(permit: Permit | null, { intent, sendings }: TakeHistory): boolean {
  return permit?.takeKey === intent.takeKey && sendings.filter(({ n }) => n >= permit.sending).every(isRefused);
}
