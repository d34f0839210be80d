import { type ProductionBudget } from '../../contracts/money/budget';
import {
  brokenTakes,
  isSkipped,
  type Quotes,
  reservationOf,
  spendingOf,
  ledgerState,
  type Store,
  type TakeHistory,
} from '../../store';
import { BudgetAccount } from '../../workflows/progress/budget';

export interface BudgetSources {
  /** Source of the production's unreadable takes. */
  readonly store: Pick<Store, 'ledger'>;
  readonly account: string;
  readonly quotes: Quotes;
  readonly takes: ReadonlyMap<string, readonly TakeHistory[]>;
  /** The takes of the production's present requests, without takes of requests that an edit has replaced. */
  readonly wanted: ReadonlyMap<string, readonly TakeHistory[]>;
}

/**
 * The reasons why unsent takes wait for the budget, by take key. The production's workflow would compute the same
 * reasons. Takes that the budget allows are left out.
 */
export async function budgetWaits(
  { store, account, quotes, takes, wanted }: BudgetSources,
  productionId: string,
  budget: ProductionBudget,
): Promise<ReadonlyMap<string, string>> {
  const budgetAccount = new BudgetAccount(budget.credits);
  budgetAccount.load(await spendingOf(takes, quotes, await brokenTakes(store.ledger, productionId, account)));
  const reservations = await Promise.all(
    [...wanted]
      .flatMap(([shotId, shotTakes]) => shotTakes.filter(isUnsent).map((take) => ({ shotId, take })))
      .toSorted((a, b) => a.take.intent.at.localeCompare(b.take.intent.at))
      .map(({ shotId, take }) => reservationOf(shotId, take.intent, 1, quotes)),
  );
  for (const reservation of reservations) budgetAccount.ask(reservation);
  budgetAccount.allow();
  const waits = reservations.map((one) => [one.takeKey, budgetAccount.waitsFor(one)] as const);
  return new Map(waits.flatMap(([takeKey, words]) => (words === null ? [] : [[takeKey, words]])));
}

function isUnsent(take: TakeHistory): boolean {
  return take.sendings.length === 0 && ledgerState(take).is === 'sendable' && !isSkipped(take);
}
