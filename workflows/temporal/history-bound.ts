import { patched, workflowInfo } from '@temporalio/workflow';

/**
 * A production goes on in another history from so many events or bytes on. Another worker has to read all of it within
 * the five seconds of a workflow task, on a busy machine too; Temporal itself ends a workflow at 51,200 events or 50 MiB.
 */
const MOST_EVENTS = 2_000;
const MOST_BYTES = 2_000_000;

/** What each shot that is taken over adds: it is asked where it stands, tells it, and may ask for its budget. */
const EVENTS_OF_ADOPTED = 8;
const BYTES_OF_ADOPTED = 5_000;

/** Bounds for tests. */
export interface HistoryBounds {
  readonly mostEvents?: number;
}

export interface HistoryBound {
  /** Whether the history is to end as soon as nothing but shots is under way. */
  isReached(): boolean;
  /** Whether that may have become so since it was asked. Costs no event, and may be asked at any time. */
  isToBeAsked(): boolean;
  /** Whether a shot that begins now is to go on where this history ends. */
  mayEndBefore(): boolean;
}

/** @param adopted how many shots an earlier history has left under way; undefined where there is none. */
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
    // A production that is terminated has its shots drained; one that is as long as this is to keep them.
    mayEndBefore: () => adopted !== undefined || workflowInfo().historyLength > mostEvents / 4,
  };
}
