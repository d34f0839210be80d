import { ledgerState, type FolderStore } from '../../store';
import { until } from './until';

/**
 * Stops a worker that a test will kill, but never with a submit on the wire: only a person could say what became of
 * that.
 *
 * The ledger is read while the worker is stopped, so no submit can begin between the check and the kill.
 */
export async function stopBetweenSubmits(
  signal: (signal: NodeJS.Signals) => unknown,
  store: FolderStore,
): Promise<void> {
  await until(async () => {
    signal('SIGSTOP');
    if (!(await isSending(store))) return true;
    signal('SIGCONT');
    return false;
  });
}

/** True if the ledger has a sending without an end. */
async function isSending({ ledger }: FolderStore): Promise<boolean> {
  const productions = (await ledger.productions()).map(async (production) => {
    const takes = (await ledger.shots(production)).map((shot) => ledger.takes(production, shot));
    return (await Promise.all(takes)).flat();
  });
  return (await Promise.all(productions)).flat().some((take) => ledgerState(take).is === 'sending');
}
