import { type BudgetFigures } from '../../contracts/money/budget';
import { type ProductionStatus } from '../../contracts/status';
import { type Renders } from '../renders';
import { handleOf, type RenderContext } from '../renders/context';
import { type Budgets } from '../status/budgets';
import { ifFound, liveStatus } from '../temporal/live-status';
import { withOwnSignal } from '../temporal/own-signal';
import { setRunningBudget } from '../temporal/running-budget';
import { Refused, unknownProduction } from '../wording/refused';

/** See `DailiesClient.ended`. */
export async function ended(
  context: RenderContext,
  productionId: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<ProductionStatus> {
  const { temporal, store } = context;
  const handle = handleOf(context, productionId);
  try {
    return await withOwnSignal(signal, (own) => temporal.withAbortSignal(own.signal, () => handle.result()));
  } catch (error) {
    if (signal.aborted) throw error;
    const live = await liveStatus(handle);
    if (live.is !== 'unknown') return live.status;
    const [last, begun] = await Promise.all([
      store.productions.archived(productionId),
      store.productions.begun(productionId).catch(() => undefined),
    ]);
    const isOfEarlierRender = begun !== undefined && last?.renderId !== begun.renderId;
    if (last === undefined || isOfEarlierRender) throw error;
    return last;
  }
}

/** Makes a running production drain. @throws Refused if the production is not running. */
export async function cancel(context: RenderContext, productionId: string): Promise<void> {
  const { productions } = context.store;
  const handle = handleOf(context, productionId);
  const described = await ifFound(handle.describe());
  if (described?.status.name === 'RUNNING' && (await ifFound(handle.cancel())) !== undefined) return;
  const exists = described !== undefined || (await productions.archived(productionId)) !== undefined;
  if (!exists) throw unknownProduction(productionId, await productions.ids());
  throw new Refused(`production "${productionId}" is not running; there is nothing to cancel`);
}

export interface BudgetParts {
  readonly renders: Pick<Renders, 'isRunning' | 'checkPayer'>;
  readonly budgets: Pick<Budgets, 'give'>;
}

/**
 * Sets the budget of a production for its running render, if there is one, and for later renders.
 *
 * @returns the budget's figures; undefined if the production is not running.
 * @throws Refused if the production is unknown or runs for another account, or as `setRunningBudget` does.
 */
export async function setBudget(
  context: RenderContext,
  { renders, budgets }: BudgetParts,
  productionId: string,
  credits: number,
): Promise<BudgetFigures | undefined> {
  const { productions } = context.store;
  if ((await productions.begun(productionId)) === undefined)
    throw unknownProduction(productionId, await productions.ids());
  let figures: BudgetFigures | undefined;
  if (await renders.isRunning(productionId)) {
    await renders.checkPayer(productionId);
    figures = await setRunningBudget(handleOf(context, productionId), productionId, credits);
  }
  await budgets.give(productionId, credits);
  return figures;
}
