import { standing, type Store } from '../../store';
import { until } from './until';

/**
 * Stops a worker process that is to be killed, though never with a submit on the wire: what became of that only a person
 * could say.
 *
 * The ledger is asked while the worker stands still, so that no submit begins between the look and the kill.
 */
export async function stopBetweenSubmits(signal: (signal: NodeJS.Signals) => unknown, store: Store): Promise<void> {
  await until(async () => {
    signal('SIGSTOP');
    if (!(await isSending(store))) return true;
    signal('SIGCONT');
    return false;
  });
}

/** Whether the ledger has a sending without an end. */
async function isSending({ records, ledger }: Store): Promise<boolean> {
  const productions = (await records.list('ledger')).map(async (production) => {
    const takes = (await ledger.shots(production)).map((shot) => ledger.takes(production, shot));
    return (await Promise.all(takes)).flat();
  });
  return (await Promise.all(productions)).flat().some((take) => standing(take).is === 'sending');
}
