import { setHandler } from '@temporalio/workflow';
import { standDownSignal } from '../messages';

/**
 * Ends the rendering of a shot or row as written, so that its fallback replaces it. This is only allowed if nothing was
 * sent. The production or batch asks for the end, but only the shot or row knows whether anything was sent.
 */
export interface Preemption {
  /**
   * To be called as soon as a take may have been sent, before anything else is awaited. After that, the shot is not
   * preempted.
   */
  sent(): void;
  /**
   * Runs a wait during which the take is not sent. Once all takes wait in this way and the shot was asked to stand
   * down, the shot is preempted: `isOver` returns true, and no take continues.
   */
  whileUnsent<T>(wait: (isOver: () => boolean) => Promise<T>): Promise<T>;
  wasPreempted(): boolean;
}

/** Registers the signal by which the production or batch asks. To be called before anything is awaited. */
export function openPreemption({ takes }: { readonly takes: number }): Preemption {
  let isAsked = false;
  let isSent = false;
  let wasPreempted = false;
  let waiting = 0;
  setHandler(standDownSignal, () => {
    isAsked = true;
  });
  /** True for all takes once it is true, so that a take that gets its lease at the same moment does not continue. */
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

/** For workflows that are never preempted. */
export const NEVER_PREEMPTED: Preemption = {
  sent: () => undefined,
  whileUnsent: (wait) => wait(() => false),
  wasPreempted: () => false,
};
