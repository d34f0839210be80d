import { setHandler } from '@temporalio/workflow';
import { standDownSignal } from '../messages';

/**
 * Ends a shot or row that has sent nothing, so that it is rendered by the file's fallback instead. The production or
 * batch asks for this, but only the shot or row knows whether anything was sent.
 */
export interface Preemption {
  /**
   * Call this as soon as a take may have been sent, before anything else is awaited. Then the shot can no longer be
   * preempted.
   */
  sent(): void;
  /**
   * Runs a wait during which the take is not sent. The shot is preempted once it was asked to stand down, all its takes
   * wait in this way, and none was sent. Then `isOver` returns true, and no take continues.
   */
  whileUnsent<T>(wait: (isOver: () => boolean) => Promise<T>): Promise<T>;
  wasPreempted(): boolean;
}

/** Registers the handler of `standDownSignal`. Call this before anything is awaited. */
export function openPreemption({ takes }: { readonly takes: number }): Preemption {
  let isAsked = false;
  let isSent = false;
  let wasPreempted = false;
  let waiting = 0;
  setHandler(standDownSignal, () => {
    isAsked = true;
  });
  /** Once true, it stays true: a take that gets its lease at the same moment must not continue. */
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
