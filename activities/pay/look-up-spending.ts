import { type DecisionActivities } from '../../contracts/activities';
import { type BrokenTake, type Quotes, readableTakes, spendingOf, type Store, type TakeHistory } from '../../store';
import { whileLedgerServes } from '../translate-error';
import { withHeartbeat } from '../with-heartbeat';

/**
 * Makes the activity that reads from the ledger what this account was charged, and may still be charged, for a
 * production or a shot. It only reads the store, so retries are safe.
 *
 * Takes whose records of sendings cannot be read count as sent, since they may have cost money.
 *
 * @param quotes current prices.
 * @throws LedgerUnavailable (retried)
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
        const brokenTakes: BrokenTake[] = [];
        for (const id of shotId === null ? await ledger.shots(productionId) : [shotId]) {
          const found = await readableTakes(ledger, { productionId, shotId: id });
          takes.set(
            id,
            found.takes.filter(({ intent }) => intent.account === account),
          );
          brokenTakes.push(...found.broken.filter(({ intent }) => (intent?.account ?? account) === account));
        }
        return spendingOf(takes, quotes(), brokenTakes);
      }),
    );
}
