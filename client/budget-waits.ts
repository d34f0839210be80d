import { type ProductionBudget } from '../contracts/budget';
import {
  brokenTakes,
  isSkipped,
  type Quotes,
  reservationOf,
  spendingOf,
  standing,
  type Store,
  type TakeHistory,
} from '../store';
import { BudgetAccount } from '../workflows/progress/budget';

/** What the takes of a production are counted and priced by. */
export interface BudgetBooks {
  readonly store: Pick<Store, 'ledger' | 'records'>;
  readonly account: string;
  readonly quotes: Quotes;
  readonly takes: ReadonlyMap<string, readonly TakeHistory[]>;
  /** Those of them that the production asks for now: what an edit has replaced asks for nothing any more. */
  readonly wanted: ReadonlyMap<string, readonly TakeHistory[]>;
}

/**
 * What the takes wait for that were asked for and never sent, by take key: as the production's workflow would say, which
 * nobody can ask. Takes that the budget would allow are left out.
 */
export async function budgetWaits(
  { store, account, quotes, takes, wanted }: BudgetBooks,
  productionId: string,
  budget: ProductionBudget,
): Promise<ReadonlyMap<string, string>> {
  const books = new BudgetAccount(budget.credits);
  books.load(await spendingOf(takes, quotes, await brokenTakes(store, productionId, account)));
  const asked = await Promise.all(
    [...wanted]
      .flatMap(([shotId, own]) => own.filter(isUnsent).map((take) => ({ shotId, take })))
      .toSorted((a, b) => a.take.intent.at.localeCompare(b.take.intent.at))
      .map(({ shotId, take }) => reservationOf(shotId, take.intent, 1, quotes)),
  );
  for (const reservation of asked) books.ask(reservation);
  books.allow();
  const waits = asked.map((reservation) => [reservation.takeKey, books.waitsFor(reservation)] as const);
  return new Map(waits.flatMap(([takeKey, words]) => (words === null ? [] : [[takeKey, words]])));
}

function isUnsent(take: TakeHistory): boolean {
  return take.sendings.length === 0 && standing(take).is === 'sendable' && !isSkipped(take);
}
