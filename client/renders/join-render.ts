import { createBudgets } from '../status/budgets';
import { Refused } from '../wording/refused';
import { checkRunningBudget } from '../temporal/running-budget';
import { isSameVersion } from '../records/same-version';
import { handleOf, type RenderContext } from './context';
import { type RenderRequest } from './request';
import { runningRender } from './running-render';

/**
 * Joins a running render of the same production with the same rules.
 *
 * @throws Refused if the production, the rules or the account differ, or if the running render has another budget
 *   than a new render would have.
 */
export async function joinRender(
  context: RenderContext,
  { productionId, production, plan, path }: RenderRequest,
): Promise<void> {
  const { store } = context;
  const { frozen, basis } = await runningRender(context, productionId);
  if (await isSameVersion(store, { production: frozen, plan: basis?.plan }, { production, plan })) {
    const { budget } = await createBudgets(store).planInForce(productionId, plan);
    await checkRunningBudget(handleOf(context, productionId), productionId, budget);
    await runningRender(context, productionId, path);
    return;
  }
  const edit = path === null ? '`edit` of the client changes' : `\`dailies edit ${productionId} FILE\` changes`;
  throw new Refused(
    `production "${productionId}" is running with another version of its ${path === null ? 'object' : 'file'}; ${edit} it to this one. ` +
      `Or let it end, or run \`dailies cancel ${productionId}\`, then render again: what was paid for is kept`,
  );
}
