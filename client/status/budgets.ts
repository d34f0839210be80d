import { z } from 'zod';
import { type BudgetFigures, type ProductionBudget, type ProductionSpending } from '../../contracts/budget';
import { type ProductionPlan } from '../../contracts/plan';
import { brokenTakes, type Quotes, spendingOf, type Store } from '../../store';
import { BudgetAccount } from '../../workflows/progress/budget';
import { takesOf } from '../records/takes';
import { createProductionRecords } from '../records/production-records';

/** A budget that a person gave by command. `of` is the file's budget at that time; null if it had none. */
const GivenBudget = z.looseObject({
  credits: z.number().nonnegative(),
  of: z.number().nonnegative().nullable(),
  at: z.string(),
  /** Set when a render has begun whose file had another budget. */
  isOver: z.boolean().default(false),
});
type GivenBudget = z.infer<typeof GivenBudget>;

/** Budgets of productions, from their files and from commands. */
export interface Budgets {
  /**
   * The budget that applies to a file. One that was given by command applies until a render begins whose file has
   * another budget.
   */
  inForce(productionId: string, file: ProductionBudget | undefined): Promise<ProductionBudget | undefined>;
  /** The plan of a new render, with its file's budget replaced by the one in force. */
  planInForce(productionId: string, plan: ProductionPlan): Promise<ProductionPlan>;
  /** Sets another budget for a production. It lasts until the file's budget differs from that of the last render. */
  give(productionId: string, credits: number): Promise<void>;
}

export function createBudgets(store: Pick<Store, 'records' | 'assets'>): Budgets {
  const { records } = store;
  const keyOf = (productionId: string): string => `productions/${productionId}/budget`;
  async function given(productionId: string): Promise<GivenBudget | undefined> {
    const record = await records.read(keyOf(productionId));
    if (record === undefined) return undefined;
    const one = GivenBudget.parse(record);
    const last = await lastPlan(store, productionId);
    const hasOther = last !== undefined && (last.budget?.credits ?? null) !== one.of;
    return { ...one, isOver: one.isOver || hasOther };
  }
  async function inForce(
    productionId: string,
    file: ProductionBudget | undefined,
  ): Promise<ProductionBudget | undefined> {
    const one = await given(productionId);
    const counts = one !== undefined && !one.isOver && one.of === (file?.credits ?? null);
    return counts ? { credits: one.credits } : file;
  }
  return {
    inForce,
    async planInForce(productionId, { budget: file, ...plan }) {
      const one = await given(productionId);
      // Record this before the render begins: its plan replaces the one that shows that the given budget is over.
      if (one?.isOver === true) await records.replace(keyOf(productionId), one);
      const budget = await inForce(productionId, file);
      return budget === undefined ? plan : { ...plan, budget };
    },
    async give(productionId, credits) {
      const of = (await lastPlan(store, productionId))?.budget?.credits ?? null;
      await records.replace(keyOf(productionId), { credits, of, at: new Date().toISOString() });
    },
  };
}

/** The plan of the last render, with the budget that the file had then. */
async function lastPlan(
  store: Pick<Store, 'records' | 'assets'>,
  productionId: string,
): Promise<ProductionPlan | undefined> {
  const records = createProductionRecords(store);
  const begun = await records.begun(productionId);
  return begun === undefined ? undefined : records.plan(begun);
}

/** A budget's figures from the ledger. Amounts that were allowed but not sent yet are not included. */
export function figuresOf({ credits }: ProductionBudget, spending: ProductionSpending): BudgetFigures {
  const account = new BudgetAccount(credits);
  account.load(spending);
  return account.figures() ?? { credits, spent: 0, reserved: 0, unclear: 0 };
}

/** The figures of the last render of a production; undefined if it has no budget. */
export async function storedFigures(
  store: Pick<Store, 'ledger' | 'records' | 'assets'>,
  { account, quotes }: { readonly account: string; readonly quotes: Quotes },
  productionId: string,
): Promise<BudgetFigures | undefined> {
  const plan = await lastPlan(store, productionId);
  const budget = await createBudgets(store).inForce(productionId, plan?.budget);
  if (budget === undefined) return undefined;
  const broken = await brokenTakes(store, productionId, account);
  return figuresOf(budget, await spendingOf(await takesOf(store, account, productionId), quotes, broken));
}
