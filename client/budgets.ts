import { z } from 'zod';
import { type BudgetFigures, type ProductionBudget } from '../contracts/budget';
import { type Quotes, spendingOf, type Store } from '../store';
import { BudgetAccount } from '../workflows/budget';
import { takesOf } from './manifest';

/** A budget that a person gave by command; `of` is the one that the file had then, null where it had none. */
const GivenBudget = z.looseObject({
  credits: z.number().nonnegative(),
  of: z.number().nonnegative().nullable(),
  at: z.string(),
});

/** Budgets of productions, by what people have said beside their files. */
export interface Budgets {
  /** What counts for a file with this budget: what was given by command, as long as the file says what it said then. */
  inForce(productionId: string, file: ProductionBudget | undefined): Promise<ProductionBudget | undefined>;
  give(productionId: string, credits: number, file: ProductionBudget | undefined): Promise<void>;
}

export function createBudgets({ records }: Pick<Store, 'records'>): Budgets {
  const keyOf = (productionId: string): string => `productions/${productionId}/budget`;
  return {
    async inForce(productionId, file) {
      const record = await records.read(keyOf(productionId));
      const given = record === undefined ? undefined : GivenBudget.parse(record);
      return given !== undefined && given.of === (file?.credits ?? null) ? { credits: given.credits } : file;
    },
    give: (productionId, credits, file) =>
      records.replace(keyOf(productionId), { credits, of: file?.credits ?? null, at: new Date().toISOString() }),
  };
}

/** Where a budget stands by the ledger alone: what was allowed and is not sent yet is not in it. */
export async function storedFigures(
  store: Pick<Store, 'ledger' | 'records'>,
  account: string,
  quotes: Quotes,
  productionId: string,
  { credits }: ProductionBudget,
): Promise<BudgetFigures> {
  const budget = new BudgetAccount(credits);
  budget.load(await spendingOf(await takesOf(store, account, productionId), quotes));
  return budget.figures() ?? { credits, spent: 0, reserved: 0, unclear: 0 };
}
