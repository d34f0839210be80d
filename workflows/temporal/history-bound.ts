import { patched, workflowInfo } from '@temporalio/workflow';

/**
 * A production continues as new above this number of events or bytes. Another worker must be able to replay the whole
 * history before the workflow task times out, even on a busy machine. The timeout is five seconds in the first history,
 * and longer in later ones. Temporal itself ends a workflow at 51,200 events or 50 MiB.
 */
const MOST_EVENTS = 2_000;
const MOST_BYTES = 2_000_000;

/**
 * Events and bytes that each shot from an earlier history adds: a request for its state, the answer, and perhaps
 * requests for budget.
 */
const EVENTS_OF_ADOPTED = 8;
const BYTES_OF_ADOPTED = 5_000;

/** Limits for tests. */
export interface HistoryBounds {
  readonly mostEvents?: number;
}

export interface HistoryBound {
  /** Whether the production should continue as new once nothing but shots is under way. */
  isReached(): boolean;
  /** Whether `isReached` may give another answer than at its last call. Adds no event and may be called at any time. */
  isToBeAsked(): boolean;
  /** Whether a shot that starts now may outlive this history. If so, start it so that it survives. */
  mayEndBefore(): boolean;
}

/** @param adopted number of shots that an earlier history left under way; undefined if this is the first history. */
export function openHistoryBound(
  adopted: number | undefined,
  { mostEvents = MOST_EVENTS }: HistoryBounds,
): HistoryBound {
  let askedAt = 0;
  function isLong(): boolean {
    const { historyLength, historySize } = workflowInfo();
    return (
      historyLength > mostEvents + EVENTS_OF_ADOPTED * (adopted ?? 0) ||
      historySize > MOST_BYTES + BYTES_OF_ADOPTED * (adopted ?? 0)
    );
  }
  return {
    isToBeAsked: () => isLong() && workflowInfo().historyLength !== askedAt,
    isReached() {
      askedAt = workflowInfo().historyLength;
      if (!isLong()) return false;
      if (!patched('goes-on-in-another-history')) return false;
      return true;
    },
    // Shots that start early in the first history are cancelled if the production is terminated. Later shots are not,
    // because they must survive the production's continue-as-new.
    mayEndBefore: () => adopted !== undefined || workflowInfo().historyLength > mostEvents / 4,
  };
}
