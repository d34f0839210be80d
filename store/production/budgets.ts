import { z } from 'zod';
import { PRODUCTIONS } from './productions';
import { type Records } from '../records';

/** A person's budget overrides the file's. `of`: the file's budget in the last render before `at`; null if none. */
const GivenBudget = z.looseObject({
  credits: z.number().nonnegative(),
  of: z.number().nonnegative().nullable(),
  at: z.string(),
  /** If true, the file's budget applies again: a render has begun from a file whose budget is not `of`. */
  isOver: z.boolean().default(false),
});
export type GivenBudget = z.infer<typeof GivenBudget>;

/** The budgets that people set for productions without changing the file. */
export interface GivenBudgets {
  given(productionId: string): Promise<GivenBudget | undefined>;
  /** Sets the budget and replaces an earlier one. */
  give(productionId: string, budget: Omit<GivenBudget, 'isOver'> & { readonly isOver?: boolean }): Promise<void>;
}

export function createGivenBudgets(records: Records): GivenBudgets {
  const keyOf = (productionId: string): string => `${PRODUCTIONS}/${productionId}/budget`;
  return {
    given: async (productionId) => GivenBudget.optional().parse(await records.read(keyOf(productionId))),
    give: (productionId, budget) => records.replace(keyOf(productionId), budget),
  };
}
