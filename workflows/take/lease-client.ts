import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  patched,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { AskedLease, Lease } from '../../contracts/gateway/arbiter';
import { arbiterWorkflowId } from '../../contracts/identifiers';
import { leaseEndedSignal, leaseSignal } from '../messages';
import { attemptKey } from './attempt-key';

/**
 * A request without an answer is repeated, since a new arbiter may not know the request. The intervals grow, since each
 * repetition calls the submit activity, and a take may wait in the queue for a night.
 */
const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 15 * 60_000;

export interface LeaseWait {
  /** The held lease, which no longer allows the sending; null if none is held. */
  readonly refused: Lease | null;
  /** Number of requests since the last lease. */
  readonly asked: number;
  /** Whether the lease is no longer wanted. */
  readonly isOver: () => boolean;
}

/**
 * Gets leases for a workflow's takes from the arbiter, the workflow that enforces the account's limits. Sendings need
 * leases while the account has limits or is throttled.
 */
export interface LeaseClient {
  /**
   * Waits for a lease.
   *
   * @returns null if the lease has to be requested again or is no longer wanted.
   */
  wait(wanted: AskedLease, leaseWait: LeaseWait): Promise<Lease | null>;
  /** Gives up a lease that may have been used. The arbiter reads the ledger to find out whether it was used. */
  giveBack(asked: AskedLease): Promise<void>;
}

/** The leases that the arbiter has granted. A newer lease of a sending replaces an earlier one. */
export class GrantedLeases {
  readonly #granted = new Map<string, Lease>();
  readonly #returned = new WeakSet<Lease>();
  readonly #isReturnedOnce: () => boolean;

  /** @param isReturnedOnce whether a wait must not return a lease that an earlier wait has returned. */
  constructor(isReturnedOnce: () => boolean) {
    this.#isReturnedOnce = isReturnedOnce;
  }

  add(lease: Lease): void {
    this.#granted.set(attemptKey(lease), lease);
  }

  /**
   * To be called when a wait begins. Drops the lease of an earlier wait: that lease has expired, or it was given back,
   * and another take may have its place.
   */
  dropReturned(wanted: AskedLease, refused: Lease | null): void {
    const lease = this.find(wanted, refused);
    if (lease !== undefined && this.#returned.has(lease) && this.#isReturnedOnce()) {
      this.#granted.delete(attemptKey(wanted));
    }
  }

  /** The granted lease, if it is another one than `refused`. */
  find(wanted: AskedLease, refused: Lease | null): Lease | undefined {
    const lease = this.#granted.get(attemptKey(wanted));
    return lease === undefined || (refused !== null && isSame(lease, refused)) ? undefined : lease;
  }

  /** Like `find`, for the end of a wait. */
  return(wanted: AskedLease, refused: Lease | null): Lease | null {
    const lease = this.find(wanted, refused);
    if (lease !== undefined) this.#returned.add(lease);
    return lease ?? null;
  }
}

/** False in histories of versions that returned the lease of an earlier wait again. */
function isReturnedOnce(): boolean {
  if (!patched('lease-is-returned-once')) return false;
  return true;
}

/** Registers the signal by which the arbiter answers. Call this before anything is awaited. */
export function openLeaseClient(): LeaseClient {
  const granted = new GrantedLeases(isReturnedOnce);
  // An answer may arrive before it is awaited, or repeatedly.
  setHandler(leaseSignal, (lease) => {
    granted.add(lease);
  });
  return {
    async wait(wanted, { refused, asked, isOver }) {
      granted.dropReturned(wanted, refused);
      const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(asked - 1, 10));
      try {
        await condition(() => isOver() || granted.find(wanted, refused) !== undefined, waitMs);
      } catch (error) {
        if (isCancellation(error)) await signalArbiter(wanted, 'withdrawn');
        throw error;
      }
      if (isOver()) {
        await signalArbiter(wanted, 'withdrawn');
        return null;
      }
      return granted.return(wanted, refused);
    },
    giveBack: (asked) => signalArbiter(asked, 'cancelled'),
  };
}

/**
 * Tells the arbiter that the request or lease has ended, and waits for the delivery. If this workflow ended first,
 * Temporal would drop the signal, and the arbiter would keep the request or lease. If the delivery fails, the arbiter
 * reads the ledger later.
 */
async function signalArbiter({ takeKey, sending, arbiter }: AskedLease, how: 'withdrawn' | 'cancelled'): Promise<void> {
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
