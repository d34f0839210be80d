import { type BudgetFigures } from '../../contracts/budget';
import { budgetedRender, giveBudget, runningFigures } from '../dailies/budget-figures';
import { storedFigures } from '../status/budgets';
import { beginPause, endPause } from '../status/paused';
import { findUnused, type Freed, pruneStore, type Unused } from '../prune';
import { standingOf } from '../dailies/standing';
import { type ProgramContext } from './context';
import { InvalidInput } from './invalid-input';

/** Pauses, budgets and pruning, for programs. */
export interface Steering {
  /** As `dailies pause`: a production or batch buys nothing new until it is resumed. @throws Refused */
  pause(id: string, options?: { readonly reason?: string }): Promise<void>;
  /** As `dailies resume`. @throws Refused */
  resume(id: string): Promise<void>;
  /**
   * As `dailies budget`: the figures of a production's budget; null if it has none.
   *
   * @param credits sets another budget first. It applies to a running render at once, and otherwise from the next one
   * on.
   * @throws Refused, InvalidInput
   */
  budget(productionId: string, credits?: number): Promise<BudgetFigures | null>;
  /** As `dailies prune --dry-run`: what the store has and no production needs. Changes nothing. */
  planPrune(): Promise<Unused>;
  /**
   * Removes what `planPrune` returned, as far as it is still unused. @throws Refused while another prune is running.
   */
  prune(shown: Unused): Promise<Freed>;
}

/** The reason of a pause if the program gives none. */
const BY_PROGRAM = 'by a program';

export function createSteering({ config, store, client, quotes, hasWorker }: ProgramContext): Steering {
  const { account, prices = {} } = config;
  const standing = (id: string): ReturnType<typeof standingOf> => standingOf({ account, prices, store, client }, id);
  return {
    pause: async (id, { reason = BY_PROGRAM } = {}) => beginPause(store, id, await standing(id), reason),
    resume: async (id) => endPause(store, id, await standing(id)),
    async budget(productionId, credits) {
      checkCredits(credits);
      const { isOpen } = await budgetedRender(store, account, productionId);
      const running = await (credits === undefined
        ? runningFigures(client, productionId)
        : giveBudget({ client, hasWorker }, productionId, { credits, isOpen }));
      return running ?? (await storedFigures(store, { account, quotes: quotes() }, productionId)) ?? null;
    },
    planPrune: () => findUnused(store, account),
    prune: (shown) => pruneStore(store, account, shown),
  };
}

function checkCredits(credits: number | undefined): void {
  if (credits === undefined || (Number.isFinite(credits) && credits >= 0)) return;
  throw new InvalidInput([{ flag: 'credits', message: `${credits} is not what it can be; give a number, 0 or more` }]);
}
