import { type BudgetFigures } from '../../contracts/money/budget';
import { type Store } from '../../store';
import { type DailiesClient } from './dailies-client';
import { NO_WORKER } from '../temporal/pollers';
import { wrongAccount, Refused, unknownProduction } from '../wording/refused';

/**
 * Checks that this account rendered the production.
 *
 * @returns `isOpen`: true if the store does not have the render's end. A change of the budget then needs a worker.
 * @throws Refused if the production is unknown, or belongs to another account.
 */
export async function budgetedRender(
  store: Store,
  account: string,
  productionId: string,
): Promise<{ isOpen: boolean }> {
  const { productions } = store;
  const begun = await productions.begun(productionId);
  if (begun === undefined) throw unknownProduction(productionId, await productions.ids());
  if (begun.account !== account) {
    throw wrongAccount(`production "${productionId}" is rendered`, begun.account, account);
  }
  return { isOpen: (await productions.archived(productionId))?.renderId !== begun.renderId };
}

/** The `budget` of a production's status; undefined if the production is not running or its status has no `budget`. */
export async function runningFigures(
  client: Pick<DailiesClient, 'status'>,
  productionId: string,
): Promise<BudgetFigures | undefined> {
  const status = await client.status(productionId);
  return status?.state === 'running' ? status.budget : undefined;
}

/**
 * Sets a production's budget.
 *
 * @returns the budget's figures; undefined if the production is not running.
 * @throws Refused as `DailiesClient.setBudget` does, or if the render is open and no worker serves the production.
 */
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
