import { getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import type { HeldLease } from '../../contracts/gateway/arbiter';
import { timestamp } from '../temporal/clock';
import { leaseSignal } from '../messages';

/** Maximum number of answers under way at once. The server allows a workflow at most 2,000 pending signals. */
const MOST_ANSWERS = 100;

/** Signals granted leases (permits to send a take) to the workflows that requested them. */
export interface LeaseAnswers {
  /** @param isGone called if the signal fails, usually because the requester no longer exists. */
  send(lease: HeldLease, holder: string, isGone: () => void): void;
  /** Number of further answers that may be sent now. */
  room(): number;
  areAllDelivered(): boolean;
}

/** @param onDelivered called after each delivery, even if it fails. */
export function openLeaseAnswers(epoch: () => number, onDelivered: () => void): LeaseAnswers {
  const { runId } = workflowInfo();
  let underWay = 0;
  return {
    room: () => MOST_ANSWERS - underWay,
    areAllDelivered: () => underWay === 0,
    send({ takeKey, sending, useByMs }, holder, isGone) {
      const lease = { takeKey, sending, epoch: epoch(), runId, useBy: timestamp(useByMs ?? 0) };
      underWay += 1;
      getExternalWorkflowHandle(holder)
        .signal(leaseSignal, lease)
        .catch(isGone)
        .finally(() => {
          underWay -= 1;
          onDelivered();
        });
    },
  };
}
