import { type BudgetFigures } from '../../contracts/budget';
import { budgetedRender, giveBudget, runningFigures } from '../budget-figures';
import { storedFigures } from '../budgets';
import { beginPause, endPause } from '../paused';
import { findUnused, type Freed, pruneStore, type Unused } from '../prune';
import { standingOf } from '../standing';
import { type ProgramContext } from './context';
import { InvalidInput } from './invalid-input';

/** What a program does about what runs, what it may cost, and what the store keeps of it. */
export interface Steering {
  /** As `dailies pause`: nothing new is bought for a production or batch until it is resumed. @throws Refused */
  pause(id: string, options?: { readonly reason?: string }): Promise<void>;
  /** As `dailies resume`. @throws Refused */
  resume(id: string): Promise<void>;
  /**
   * As `dailies budget`: the figures of a production's budget; null if it has none.
   *
   * @param credits gives it another one first: for what runs at once, else from the next render on.
   * @throws Refused, InvalidInput
   */
  budget(productionId: string, credits?: number): Promise<BudgetFigures | null>;
  /** As `dailies prune --dry-run`: what the store keeps and no production stands on. Changes nothing. */
  planPrune(): Promise<Unused>;
  /** Frees what `planPrune` has shown, as far as it is unused still. @throws Refused while another prune is under way. */
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
