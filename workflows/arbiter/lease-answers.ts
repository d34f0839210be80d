import { getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import type { HeldLease } from '../../contracts/arbiter';
import { timestamp } from '../temporal/clock';
import { leaseSignal } from '../messages';

/** Answers on their way at once: the server refuses a workflow that leaves 2,000 pending. */
const MOST_ANSWERS = 100;

/** An arbiter's answers on their way to whoever has asked. */
export interface LeaseAnswers {
  /** @param isGone called where there is nobody to answer any more. */
  send(lease: HeldLease, holder: string, isGone: () => void): void;
  /** How many more may be on their way. */
  room(): number;
  areAllThrough(): boolean;
}

/** @param onThrough called after each. */
export function openLeaseAnswers(epoch: () => number, onThrough: () => void): LeaseAnswers {
  const { runId } = workflowInfo();
  let underWay = 0;
  return {
    room: () => MOST_ANSWERS - underWay,
    areAllThrough: () => underWay === 0,
    send({ takeKey, sending, useByMs }, holder, isGone) {
      const lease = { takeKey, sending, epoch: epoch(), runId, useBy: timestamp(useByMs ?? 0) };
      underWay += 1;
      getExternalWorkflowHandle(holder)
        .signal(leaseSignal, lease)
        .catch(isGone)
        .finally(() => {
          underWay -= 1;
          onThrough();
        });
    },
  };
}
