import { setHandler } from '@temporalio/workflow';
import { standDownSignal } from '../messages';

/**
 * Whether a shot ends for another version of itself, which it may only do if nothing was sent. The production asks, but
 * only the shot knows whether anything was sent.
 */
export interface Preemption {
  /**
   * To be called before anything else is awaited when a take was, or may have been, sent. It then never stands down.
   */
  sent(): void;
  /**
   * Waits with a take of which nothing is being sent. When all takes wait in this way and the production has asked, the
   * shot stands down: `isOver` becomes true, and no take goes further.
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
  /** Decided once for all takes, so that a take whose turn is granted at the same moment goes no further either. */
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

/** For workflows that are never asked to stand down. */
export const NEVER_PREEMPTED: Preemption = {
  sent: () => undefined,
  whileUnsent: (wait) => wait(() => false),
  wasPreempted: () => false,
};
