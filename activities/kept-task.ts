import { type TakeInLedger, ensureTake, lostIntent, type Store, type WorkflowTask } from '../store';
import { type FrozenProductions } from './frozen-productions';
import { isDiskTrouble, whileLedgerServes } from './translate-error';

/** Finds or restores a task's take in the ledger. @throws LedgerUnavailable (retried), TakeMismatch (final). */
export type KeepTask = (task: WorkflowTask) => Promise<TakeInLedger>;

/**
 * Makes the function that finds a workflow's take in the ledger by its key. If the ledger has lost the take, the
 * function records the take again.
 *
 * Any activity that records something about a paid task must find the take with this function.
 */
export function createKeepTask(account: string, store: Store, productions: FrozenProductions): KeepTask {
  return (task) =>
    whileLedgerServes(() =>
      ensureTake(store.ledger, task, async () => {
        const { asked, take } = task;
        const shot =
          asked === undefined
            ? undefined
            : await productions.shot(asked.production, take.shotId).catch((error: unknown) => {
                // A disk error may pass. Otherwise the frozen production is lost too: a backup contains no assets.
                if (isDiskTrouble(error)) throw error;
                return undefined;
              });
        return lostIntent(account, task, shot);
      }),
    );
}
