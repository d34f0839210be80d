import { type TakeInLedger, ensureTake, lostIntent, type Store, type WorkflowTask } from '../store';
import { type FrozenProductions } from './frozen-productions';
import { storeTrouble, whileLedgerServes } from './translate-error';

/**
 * Finds or restores a task's take in the ledger.
 *
 * @throws LedgerUnavailable, StoreUnavailable (both retried), TakeMismatch (final).
 */
export type KeepTask = (task: WorkflowTask) => Promise<TakeInLedger>;

/**
 * Makes the function that finds a workflow's take in the ledger by the take key. If the ledger has lost the take, the
 * function records the take again.
 *
 * Any activity that records something about a paid task must find the take with this function.
 */
export function createKeepTask(account: string, store: Store, productions: FrozenProductions): KeepTask {
  return (task) =>
    whileLedgerServes(() =>
      ensureTake(store.ledger, task, async () => {
        const { asked, take } = task;
        const shot = asked && (await productions.shot(asked.production, take.shotId).catch(undefinedIfLost));
        return lostIntent(account, task, shot);
      }),
    );
}

/** A backup of the ledger contains no assets, so the frozen production may be lost too. @throws for a disk error. */
function undefinedIfLost(error: unknown): undefined {
  const trouble = storeTrouble(error);
  if (trouble !== error) throw trouble;
}
