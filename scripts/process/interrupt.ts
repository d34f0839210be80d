import { tell } from './streams';
import { surroundings } from './surroundings';

/** Signals that ask a command to end. */
export const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A request to end the command, such as Ctrl-C. */
export interface Interrupt {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Resolves at the first signal. */
  readonly interrupted: Promise<'interrupted'>;
}

/**
 * Handles signals from now on. The first signal asks the command to end. At each later signal, a message says how long
 * the end may take.
 */
export function listenForInterrupt(): Interrupt {
  const controller = new AbortController();
  const interrupted = new Promise<'interrupted'>((resolve) => {
    controller.signal.addEventListener('abort', () => {
      resolve('interrupted');
    });
  });
  const { signals } = surroundings();
  for (const name of INTERRUPTS) {
    signals.on(name, () => {
      if (controller.signal.aborted)
        tell('Ending already. A submit that is in flight is finished first, which takes up to two minutes.');
      controller.abort();
    });
  }
  return { signal: controller.signal, interrupted };
}
