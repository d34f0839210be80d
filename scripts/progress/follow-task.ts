import { ledgerState, type TakeHistory } from '../../store';
import { tell } from '../process/streams';

/** Interval between two reads of the ledger. A read lists one folder and reads some small files. */
const LOOK_EVERY_MS = 500;

/** Reads the progress of a single task from the ledger, and prints one line per change on stderr. */
export function followTask(newestTake: () => Promise<TakeHistory | undefined>, id: string): { stop(): void } {
  let told = '';
  let isLooking = false;
  const look = async (): Promise<void> => {
    const take = await newestTake();
    const words = take === undefined ? '' : taskInWords(take);
    if (words === '' || words === told || stopped) return;
    told = words;
    tell(`${id}: ${words}`);
  };
  let stopped = false;
  const clock = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    // Ignore errors: the worker reports a ledger that cannot be read.
    look()
      .catch(() => undefined)
      .finally(() => (isLooking = false));
  }, LOOK_EVERY_MS);
  return {
    stop() {
      stopped = true;
      clearInterval(clock);
    },
  };
}

/** Empty for a take that is refused, unclear, failed or collected, since the command itself prints these outcomes. */
function taskInWords(history: TakeHistory): string {
  const { take, sendings, output } = history;
  const now = ledgerState(history);
  switch (now.is) {
    case 'sendable': {
      const refused = sendings.at(-1)?.refused;
      return refused === undefined ? 'waits to be sent' : `waits to be sent again: ${refused.reason}`;
    }
    case 'sending':
      return 'is being sent';
    case 'accepted':
      return `renders (take ${take}, task ${now.taskId})`;
    case 'settled':
      return now.settled.state === 'completed' && output === undefined ? 'is being collected' : '';
    default:
      return '';
  }
}
