import { type BatchActivities } from '../../contracts/render/batch';
import { askKey, isAnswered, needsNewTake, type Store, takesOfAsk } from '../../store';
import { type FrozenProductions } from '../frozen-productions';

export interface PaidFormDependencies {
  readonly account: string;
  readonly store: Store;
  readonly productions: FrozenProductions;
}

/**
 * Makes the activity that finds the form in which a single task was sent before: as written, or as its fallback. It
 * returns null if neither form was sent, or if the form that was sent has to be sent again. The two forms are different
 * requests with two ask keys, so the ledger alone does not stop both from being paid for.
 *
 * A form that a person skipped counts as sent, so that the other form is not paid for.
 */
export function createPaidForm({ account, store, productions }: PaidFormDependencies): BatchActivities['paidForm'] {
  return async ({ task, lowered }) => {
    const { productionId, shotId, links, sibling } = task;
    const takes = await store.ledger.takes(productionId, shotId);
    if (takes.length === 0) return null;
    const forms = [['written', task.production] as const, ['fallback', lowered] as const];
    for (const [form, production] of forms) {
      const shot = await productions.shot(production, shotId);
      const newest = takesOfAsk(takes, askKey({ account, productionId, shot, links, sibling })).at(-1);
      if (newest !== undefined && !needsNewTake(newest, task) && isAnswered(newest)) return form;
    }
    return null;
  };
}
