import { type KeptTake, keptTake, lostIntent, type Store, type WorkflowTask } from '../store';
import { type FrozenProductions } from './frozen-productions';
import { whileLedgerServes } from './translate-error';

/** @throws LedgerUnavailable (retried), TakeMismatch (final). */
export type KeepTask = (task: WorkflowTask) => Promise<KeptTake>;

/**
 * Builds what finds a workflow's take in the ledger, by its key, and notes it there if the ledger has lost it.
 *
 * Whoever writes about a paid task finds its take in this way first.
 */
export function createKeepTask(account: string, store: Store, productions: FrozenProductions): KeepTask {
  return (task) =>
    whileLedgerServes(() =>
      keptTake(store, task, async () => {
        const { asked, take } = task;
        // The frozen production may be lost too: a backup of the ledger holds no assets.
        const shot =
          asked === undefined
            ? undefined
            : await productions.shot(asked.production, take.shotId).catch(() => undefined);
        return lostIntent(account, task, shot);
      }),
    );
}
