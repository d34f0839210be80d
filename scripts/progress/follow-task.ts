import { standing, type TakeHistory } from '../../store';
import { tell } from '../streams';

/** A look is a folder that is listed and some small files. */
const LOOK_EVERY_MS = 500;

/** Tells on stderr how a single task goes on, one line per change, by what the ledger has of it. */
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
    // A ledger that cannot be read is the worker's to tell of.
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

/** Empty for one that has ended, or waits for a person: that is for the command to tell. */
function taskInWords(history: TakeHistory): string {
  const { take, sendings, output } = history;
  const now = standing(history);
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
