import { type BudgetFigures } from '../contracts/budget';
import { type Quotes, type Store } from '../store';
import { storedFigures } from './budgets';
import { type DailiesClient } from './dailies-client';
import { NO_WORKER } from './pollers';
import { createProductionRecords } from './production-records';
import { ofOtherAccount, Refused, unknownProduction } from './refused';

/**
 * Whether a production whose budget is asked for or changed is open: its render has not ended, as far as the store knows,
 * so that a worker has to take the change.
 *
 * @throws Refused where it is not known, or another account's.
 */
export async function budgetedRender(
  store: Store,
  account: string,
  productionId: string,
): Promise<{ isOpen: boolean }> {
  const records = createProductionRecords(store);
  const begun = await records.begun(productionId);
  if (begun === undefined) throw unknownProduction(productionId, await records.ids());
  if (begun.account !== account) {
    throw ofOtherAccount(`production "${productionId}" is rendered`, begun.account, account);
  }
  return { isOpen: (await records.archived(productionId))?.renderId !== begun.renderId };
}

/** Where the budget stands of a production that runs; undefined where it does not run, or has none. */
export async function runningFigures(
  client: Pick<DailiesClient, 'status'>,
  productionId: string,
): Promise<BudgetFigures | undefined> {
  const status = await client.status(productionId);
  return status?.state === 'running' ? status.budget : undefined;
}

/** Gives a production another budget. @returns where it stands then, if it runs. @throws Refused where no worker would take it. */
export async function giveBudget(
  {
    client,
    hasWorker,
  }: { readonly client: Pick<DailiesClient, 'setBudget'>; readonly hasWorker: () => Promise<boolean> },
  productionId: string,
  { credits, isOpen }: { readonly credits: number; readonly isOpen: boolean },
): Promise<BudgetFigures | undefined> {
  if (isOpen && !(await hasWorker())) throw new Refused(`nothing has changed. ${NO_WORKER}`);
  return client.setBudget(productionId, credits);
}

/** What is shown of it: as it runs, else by the ledger; undefined where it has none. */
export async function budgetFigures(
  store: Store,
  by: { readonly account: string; readonly quotes: Quotes },
  productionId: string,
  running: BudgetFigures | undefined,
): Promise<BudgetFigures | undefined> {
  return running ?? storedFigures(store, by, productionId);
}
