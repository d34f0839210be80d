import { type BudgetFigures, type ProductionBudget, type ProductionSpending } from '../../contracts/money/budget';
import { type ProductionPlan } from '../../contracts/render/plan';
import { brokenTakes, type GivenBudget, type Quotes, spendingOf, type Store } from '../../store';
import { BudgetAccount } from '../../workflows/progress/budget';
import { takesOf } from '../records/takes';

/** Budgets of productions, from their files and from commands. */
export interface Budgets {
  /**
   * The budget in force for a file: the last budget that a command gave, else the file's own. The command's budget
   * applies only while the file's own is unchanged. It ends for good once a render begins with another budget in the
   * file.
   */
  inForce(productionId: string, file: ProductionBudget | undefined): Promise<ProductionBudget | undefined>;
  /** The plan of a new render, with the budget in force in place of the file's budget. */
  planInForce(productionId: string, plan: ProductionPlan): Promise<ProductionPlan>;
  /** Sets the budget of a production, until its file's budget changes. */
  give(productionId: string, credits: number): Promise<void>;
}

export function createBudgets(store: Pick<Store, 'budgets' | 'productions'>): Budgets {
  const { budgets } = store;
  async function readGiven(productionId: string): Promise<GivenBudget | undefined> {
    const one = await budgets.given(productionId);
    if (one === undefined) return undefined;
    const last = await lastPlan(store, productionId);
    const hasFileChanged = last !== undefined && (last.budget?.credits ?? null) !== one.of;
    return { ...one, isOver: one.isOver || hasFileChanged };
  }
  async function inForce(
    productionId: string,
    file: ProductionBudget | undefined,
  ): Promise<ProductionBudget | undefined> {
    const one = await readGiven(productionId);
    const isInForce = one !== undefined && !one.isOver && one.of === (file?.credits ?? null);
    return isInForce ? { credits: one.credits } : file;
  }
  return {
    inForce,
    async planInForce(productionId, { budget: file, ...plan }) {
      const one = await readGiven(productionId);
      // Record that the given budget has ended: only the last plan shows this, and the new render replaces that plan.
      if (one?.isOver === true) await budgets.give(productionId, one);
      const budget = await inForce(productionId, file);
      return budget === undefined ? plan : { ...plan, budget };
    },
    async give(productionId, credits) {
      const of = (await lastPlan(store, productionId))?.budget?.credits ?? null;
      await budgets.give(productionId, { credits, of, at: new Date().toISOString() });
    },
  };
}

/** The plan of the last render, with the budget of its file at that time. */
async function lastPlan(
  { productions }: Pick<Store, 'productions'>,
  productionId: string,
): Promise<ProductionPlan | undefined> {
  const begun = await productions.begun(productionId);
  return begun === undefined ? undefined : productions.plan(begun);
}

/** A budget's figures from the ledger. Takes that are allowed but not sent yet are not included. */
export function figuresOf({ credits }: ProductionBudget, spending: ProductionSpending): BudgetFigures {
  const account = new BudgetAccount(credits);
  account.load(spending);
  return account.figures() ?? { credits, spent: 0, reserved: 0, unclear: 0 };
}

/** The figures of the budget in force for a production's last render; undefined if there is no budget. */
export async function storedFigures(
  store: Pick<Store, 'ledger' | 'budgets' | 'productions'>,
  { account, quotes }: { readonly account: string; readonly quotes: Quotes },
  productionId: string,
): Promise<BudgetFigures | undefined> {
  const plan = await lastPlan(store, productionId);
  const budget = await createBudgets(store).inForce(productionId, plan?.budget);
  if (budget === undefined) return undefined;
  const broken = await brokenTakes(store.ledger, productionId, account);
  return figuresOf(budget, await spendingOf(await takesOf(store, account, productionId), quotes, broken));
}
