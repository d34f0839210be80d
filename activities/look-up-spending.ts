import { type DecisionActivities } from '../contracts/activities';
import { type Quotes, spendingOf, type Store, type TakeHistory } from '../store';
import { whileLedgerServes } from './translate-error';
import { withHeartbeat } from './with-heartbeat';

/**
 * Reads off the ledger what a production was charged and may be charged yet, as far as this account pays for it. Asks
 * the store alone, and may run again.
 *
 * @param quotes prices as they are now.
 * @throws LedgerUnavailable (retried); also for records that cannot be read, since they may be of money.
 */
export function createLookUpSpending(
  account: string,
  { ledger }: Store,
  quotes: () => Quotes,
): DecisionActivities['lookUpSpending'] {
  return ({ productionId, shotId }) =>
    withHeartbeat(() =>
      whileLedgerServes(async () => {
        const takes = new Map<string, readonly TakeHistory[]>();
        for (const id of shotId === null ? await ledger.shots(productionId) : [shotId]) {
          const own = (await ledger.takes(productionId, id)).filter(({ intent }) => intent.account === account);
          takes.set(id, own);
        }
        return spendingOf(takes, quotes());
      }),
    );
}
