import { setHandler } from '@temporalio/workflow';
import { standDownSignal } from '../messages';

/**
 * Whether a shot of which nothing was sent makes room for another version of itself. Its production asks; the shot alone
 * knows whether anything of it is on its way, or was.
 */
export interface Preemption {
  /** To be said before anything else is awaited once one of its takes was, or may have been, sent. From then on it stays. */
  sent(): void;
  /**
   * Waits with one of its takes, of which nothing is on its way meanwhile. Once all of them wait so and it is asked to, it
   * stands down: then `isOver` holds, and whoever waits goes no further.
   */
  whileUnsent<T>(wait: (isOver: () => boolean) => Promise<T>): Promise<T>;
  wasPreempted(): boolean;
}

/** Registers the signal by which the production asks. To be called before anything is awaited. */
export function openPreemption({ takes }: { readonly takes: number }): Preemption {
  let isAsked = false;
  let isSent = false;
  let wasPreempted = false;
  let waiting = 0;
  setHandler(standDownSignal, () => {
    isAsked = true;
  });
  /** Settled once for all takes: one that is granted its turn in the same moment goes no further either. */
  const isOver = (): boolean => (wasPreempted ||= isAsked && !isSent && waiting === takes);
  return {
    sent() {
      isSent = true;
    },
    async whileUnsent(wait) {
      waiting += 1;
      try {
        return await wait(isOver);
      } finally {
        waiting -= 1;
      }
    },
    wasPreempted: () => wasPreempted,
  };
}

/** For what nobody asks to stand down. */
export const NEVER_PREEMPTED: Preemption = {
  sent: () => undefined,
  whileUnsent: (wait) => wait(() => false),
  wasPreempted: () => false,
};
