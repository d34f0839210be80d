import { type BudgetFigures } from '../../contracts/money/budget';
import { budgetedRender, giveBudget, runningFigures } from '../dailies/budget-figures';
import { storedFigures } from '../status/budgets';
import { beginPause, endPause, type Pausable } from '../status/paused';
import { findUnused, type Freed, pruneStore, type Unused } from '../prune';
import { findPausable } from '../dailies/find-pausable';
import { hasNoAnswer } from '../temporal/unavailable';
import { fewAtOnce, type Hold } from '../../store';
import { type ProgramContext } from './context';
import { InvalidInput } from './invalid-input';

/** Pauses, budgets and pruning, for programs. */
export interface Steering {
  /** Like `dailies pause`: the production or batch buys nothing new until it is resumed. @throws Refused */
  pause(id: string, options?: { readonly reason?: string }): Promise<void>;
  /** Like `dailies resume`. @throws Refused */
  resume(id: string): Promise<void>;
  /**
   * The account's productions and batches that have not ended, sorted by id. Includes those with unreadable records,
   * whatever their account.
   */
  underWay(): Promise<readonly UnderWay[]>;
  /** Pauses every production and batch that is under way and not paused by a person. */
  pauseAll(options?: { readonly reason?: string }): Promise<ChangedAll>;
  /** Resumes these productions and batches. `refused` has those that are unknown, have ended or are not paused. */
  resumeAll(ids: readonly string[]): Promise<ChangedAll>;
  /**
   * Like `dailies budget`: the figures of a production's budget; null if it has none.
   *
   * @param credits a new budget to set first. It applies to a running render at once, else from the next render on.
   * @throws Refused, InvalidInput
   */
  budget(productionId: string, credits?: number): Promise<BudgetFigures | null>;
  /** Like `dailies prune --dry-run`: the takes and films that nothing needs. Changes nothing. */
  planPrune(): Promise<Unused>;
  /**
   * Removes the takes and films that `planPrune` returned and that are still unused.
   *
   * @throws Refused if another prune is running, or a restore of the ledger is unfinished.
   */
  prune(shown: Unused): Promise<Freed>;
}

export interface UnderWay {
  readonly id: string;
  readonly kind: 'production' | 'batch';
  /** The hold under which nothing new is bought: a person's pause or an interruption. Null if there is none. */
  readonly hold: Hold | null;
}

export interface ChangedAll {
  readonly changed: readonly string[];
  /** Those that were refused, or could not be changed because of an error. The others are changed nevertheless. */
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
}

/** The reason of a pause if the program gives none. */
const BY_PROGRAM = 'by a program';

export function createSteering({ config, store, client, quotes, hasWorker }: ProgramContext): Steering {
  const { account, prices = {} } = config;
  const pausable = (id: string): Promise<Pausable | undefined> => findPausable({ account, prices, store, client }, id);
  async function underWay(): Promise<readonly UnderWay[]> {
    const withHold = (kind: UnderWay['kind']) => async (id: string) => ({
      id,
      kind,
      hold: (await store.holds.inForce(id)) ?? null,
    });
    const productions = await fewAtOnce(await store.productions.interrupted(account), withHold('production'));
    const batches = await fewAtOnce(await store.batches.interrupted(account), withHold('batch'));
    return [...productions, ...batches].toSorted((a, b) => a.id.localeCompare(b.id));
  }
  async function changeAll(
    ids: readonly string[],
    change: (id: string, pausable: Pausable | undefined) => Promise<void>,
  ): Promise<ChangedAll> {
    const changed: string[] = [];
    const refused: ChangedAll['refused'][number][] = [];
    const find = findAlsoOffline();
    for (const id of ids) {
      try {
        await change(id, await find(id));
        changed.push(id);
      } catch (error) {
        refused.push({ id, reason: error instanceof Error ? error.message : String(error) });
      }
    }
    return { changed, refused };
  }
  /** Once Temporal does not answer, all further states come from the store: a pause needs no Temporal. */
  function findAlsoOffline(): (id: string) => Promise<Pausable | undefined> {
    let isOffline = false;
    return async (id) => {
      if (!isOffline) {
        try {
          return await pausable(id);
        } catch (error) {
          if (!hasNoAnswer(error)) throw error;
          isOffline = true;
        }
      }
      return findPausable({ account, prices, store, client: undefined }, id);
    };
  }
  return {
    underWay,
    async pauseAll({ reason = BY_PROGRAM } = {}) {
      const open = (await underWay()).filter(({ hold }) => hold?.by !== 'person').map(({ id }) => id);
      return changeAll(open, (id, found) => beginPause(store, id, found, reason));
    },
    resumeAll: (ids) => changeAll(ids, (id, found) => endPause(store, id, found)),
    pause: async (id, { reason = BY_PROGRAM } = {}) => beginPause(store, id, await pausable(id), reason),
    resume: async (id) => endPause(store, id, await pausable(id)),
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
  throw new InvalidInput([{ flag: 'credits', message: `${credits} is not allowed; give a number, 0 or more` }]);
}
