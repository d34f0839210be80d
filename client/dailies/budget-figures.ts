import { type BudgetFigures } from '../../contracts/budget';
import { type Store } from '../../store';
import { type DailiesClient } from './dailies-client';
import { NO_WORKER } from '../temporal/pollers';
import { createProductionRecords } from '../records/production-records';
import { ofOtherAccount, Refused, unknownProduction } from '../wording/refused';

/**
 * Checks that this account rendered the production. `isOpen` is true if the store has no end of its render; then a
 * change of the budget needs a worker.
 *
 * @throws Refused if the production is unknown, or belongs to another account.
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

/** The budget's figures of a running production; undefined if it is not running or has no budget. */
export async function runningFigures(
  client: Pick<DailiesClient, 'status'>,
  productionId: string,
): Promise<BudgetFigures | undefined> {
  const status = await client.status(productionId);
  return status?.state === 'running' ? status.budget : undefined;
}

/**
 * Sets a production's budget. @returns its figures if it is running. @throws Refused if the render is open and no
 * worker is there.
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
