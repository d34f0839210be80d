import { SUBMIT_TOTAL_MS } from '../gateway';
import { type SendingInFlight } from './sendings-in-flight';

/** Time for a submit in flight, a minute to record its answer on a full disk, and a margin. */
const LEAVE_WITHIN_MS = SUBMIT_TOTAL_MS + 80_000;

/** Signals within this time count as one: the terminal and a wrapper such as npx may both pass on the same Ctrl-C. */
const SAME_SIGNAL_MS = 250;

/** The exit code of a command that a signal ended. */
const INTERRUPTED = 130;

const MOST_SHOWN = 5;

/** SIGHUP: the terminal was closed. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export interface StopOptions {
  readonly stop: () => void;
  readonly inFlight: () => readonly SendingInFlight[];
  readonly say: (line: string) => void;
}

/**
 * Ends a worker on signals. The first signal calls `stop` and starts the time limit. The second signal only prints the
 * submits in flight and the time limit. The third signal, or the time limit, ends the process; an unanswered submit
 * becomes unclear.
 *
 * @returns a function that removes the signal handlers.
 */
export function stopOnSignals({ stop, inFlight, say }: StopOptions): () => void {
  let count = 0;
  let lastMs = -Infinity;
  let overdue: NodeJS.Timeout | undefined;
  let until = '';

  function onSignal(signal: NodeJS.Signals): void {
    const nowMs = performance.now();
    const isSame = nowMs - lastMs < SAME_SIGNAL_MS;
    lastMs = nowMs;
    if (isSame) return;
    count += 1;
    if (count === 1) {
      until = new Date(Date.now() + LEAVE_WITHIN_MS).toISOString();
      overdue = setTimeout(() => end(`it was asked to end ${LEAVE_WITHIN_MS / 1_000} s ago`), LEAVE_WITHIN_MS).unref();
      say(`asked to end by ${signal}: takes no new work; ${waitsFor(inFlight())}`);
      stop();
    } else if (count === 2) {
      say(`${signal} again: ending already, at the latest at ${until}; ${waitsFor(inFlight())}. ${A_THIRD}`);
    } else {
      end(`${signal} for the third time`);
    }
  }

  function end(why: string): never {
    const left = inFlight();
    say(`ends now: ${why}. ${left.length === 0 ? 'No submit was in flight.' : `Left unclear: ${inWords(left)}`}`);
    process.exit(INTERRUPTED);
  }

  for (const signal of SIGNALS) process.on(signal, onSignal);
  return () => {
    clearTimeout(overdue);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}

const A_THIRD = 'A third signal ends it at once; a submit that is not answered by then is unclear and may be charged';

function waitsFor(sendings: readonly SendingInFlight[]): string {
  if (sendings.length === 0) return 'waits until it has handed back its other work; no submit is in flight';
  return `waits for submits in flight: ${inWords(sendings)}`;
}

function inWords(sendings: readonly SendingInFlight[]): string {
  const shown = sendings.slice(0, MOST_SHOWN).map(({ take: { productionId, shotId, take }, sinceMs }) => {
    return `take ${take} of ${productionId}/${shotId} (for ${Math.round((Date.now() - sinceMs) / 1_000)} s)`;
  });
  const more = sendings.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
