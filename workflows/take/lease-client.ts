import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { AskedLease, Lease } from '../../contracts/arbiter';
import { arbiterWorkflowId } from '../../contracts/identifiers';
import { leaseEndedSignal, leaseSignal } from '../messages';
import { attemptKey } from './attempt-key';

/**
 * Whoever has not been answered asks again: the arbiter may be another one by now, which has heard nothing. Ever more
 * rarely, since each time is an attempt to submit; a queue may be a night long.
 */
const FIRST_PATIENCE_MS = 30_000;
const LONGEST_PATIENCE_MS = 15 * 60_000;

export interface LeasePatience {
  /** The lease that did not hold, if there was one. */
  readonly tried: Lease | null;
  /** How often it was asked for. */
  readonly asked: number;
  /** Whether it is wanted no more. */
  readonly isOver: () => boolean;
}

/** Where the takes of one workflow wait for their turn at the gateway. */
export interface LeaseClient {
  /**
   * Waits for the right to send what was asked for.
   *
   * @returns null where it is to be asked for again, or is wanted no more.
   */
  wait(wanted: AskedLease, patience: LeasePatience): Promise<Lease | null>;
  /** It will not be sent any more, and may have been. */
  cancelled(asked: AskedLease): Promise<void>;
}

/** Registers the signal by which the arbiter answers. To be called before anything is awaited. */
export function openLeaseClient(): LeaseClient {
  const granted = new Map<string, Lease>();
  // The arbiter may answer before it is waited for, and more than once; an older answer is one that does not hold.
  setHandler(leaseSignal, (lease) => {
    granted.set(attemptKey(lease), lease);
  });
  return {
    async wait(wanted, { tried, asked, isOver }) {
      const given = (): Lease | undefined => {
        const lease = granted.get(attemptKey(wanted));
        return lease === undefined || (tried !== null && isSame(lease, tried)) ? undefined : lease;
      };
      const patienceMs = Math.min(LONGEST_PATIENCE_MS, FIRST_PATIENCE_MS * 2 ** Math.min(asked - 1, 10));
      try {
        await condition(() => isOver() || given() !== undefined, patienceMs);
      } catch (error) {
        if (isCancellation(error)) await tell(wanted, 'withdrawn');
        throw error;
      }
      if (isOver()) {
        // Before the workflow ends: what a closed one was about to tell is never delivered, and its place would be kept.
        await tell(wanted, 'withdrawn');
        return null;
      }
      return given() ?? null;
    },
    cancelled: (asked) => tell(asked, 'cancelled'),
  };
}

/**
 * Waits until it is delivered: Temporal drops the signals of a workflow that has ended meanwhile. An arbiter that does not
 * hear of it finds out that nothing is sent.
 */
async function tell({ takeKey, sending, arbiter }: AskedLease, how: 'withdrawn' | 'cancelled'): Promise<void> {
  const handle = getExternalWorkflowHandle(arbiter ?? arbiterWorkflowId(workflowInfo().taskQueue));
  await CancellationScope.nonCancellable(() =>
    handle.signal(leaseEndedSignal, { takeKey, sending, how, credits: 0 }).catch(() => undefined),
  );
}

function isSame(one: Lease, other: Lease): boolean {
  return (
    attemptKey(one) === attemptKey(other) &&
    one.epoch === other.epoch &&
    one.runId === other.runId &&
    one.useBy === other.useBy
  );
}
