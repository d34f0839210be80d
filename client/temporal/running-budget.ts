import { type WorkflowHandle, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { counted } from '../../contracts/counted';
import { type BudgetFigures, type ProductionBudget } from '../../contracts/money/budget';
import { productionStatusQuery, setBudgetUpdate } from '../../workflows/messages';
import { RUNS_WITHOUT_BUDGET } from '../../workflows/progress/revision';
import { Refused } from '../wording/refused';
import { retryUpdate } from './retry-update';

/**
 * Checks that a running production has the wanted budget. A render that joins a production cannot change the budget.
 *
 * @throws Refused if the budgets differ.
 */
export async function checkRunningBudget(
  handle: WorkflowHandle,
  productionId: string,
  wanted: ProductionBudget | undefined,
): Promise<void> {
  const { budget, uncountedBudget } = await handle.query(productionStatusQuery);
  const running = budget ?? uncountedBudget;
  if (wanted?.credits === running?.credits) return;
  throw new Refused(
    running === undefined
      ? `production "${productionId}": ${RUNS_WITHOUT_BUDGET}`
      : `production "${productionId}" is running with a budget of ${counted(running.credits, 'credit')}; ` +
          `\`dailies edit ${productionId} FILE\` sets the file's budget, \`dailies budget ${productionId} --credits M\` sets another one`,
  );
}

/**
 * Changes the budget of a running production.
 *
 * @returns the budget's figures; undefined if the production has ended.
 * @throws Refused if the production runs without a budget, is being cancelled or just ending, or `credits` is invalid.
 */
export async function setRunningBudget(
  handle: WorkflowHandle,
  productionId: string,
  credits: number,
): Promise<BudgetFigures | undefined> {
  try {
    return (await retryUpdate(() => handle.executeUpdate(setBudgetUpdate, { args: [credits] }))) ?? undefined;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    throw new Refused(`production "${productionId}": ${error.cause?.message ?? error.message}`);
  }
}
