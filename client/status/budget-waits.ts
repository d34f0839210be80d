import { type ProductionBudget } from '../../contracts/budget';
import {
  brokenTakes,
  isSkipped,
  type Quotes,
  reservationOf,
  spendingOf,
  standing,
  type Store,
  type TakeHistory,
} from '../../store';
import { BudgetAccount } from '../../workflows/progress/budget';

/** The takes of a production, and what is needed to count and price them. */
export interface BudgetBooks {
  readonly store: Pick<Store, 'ledger' | 'records'>;
  readonly account: string;
  readonly quotes: Quotes;
  readonly takes: ReadonlyMap<string, readonly TakeHistory[]>;
  /** The takes that the production asks for now. Takes of shots that an edit has replaced are not among them. */
  readonly wanted: ReadonlyMap<string, readonly TakeHistory[]>;
}

/**
 * What unsent takes wait for, by take key, computed as the production's workflow would if it could be asked. Takes that
 * the budget allows are left out.
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
