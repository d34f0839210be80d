/**
 * The take that an account last sent with a store, as Temporal keeps it. A ledger that lacks it is an older copy.
 *
 * See docs/decisions/0041-latest-take.md.
 */
export interface LatestTake {
  readonly productionId: string;
  readonly shotId: string;
  readonly takeKey: string;
  /** Its number; absent where it was not noted. */
  readonly take?: number;
  /** ISO 8601, by the clock of the worker that was about to send it. */
  readonly at: string;
}

/** Name of the memo that has it. */
export const LATEST_TAKE_MEMO = 'latestTake';

/** How a worker asks Temporal for the latest take, and tells it. */
export interface LatestTakeLine {
  /** Undefined if nothing was sent yet, or Temporal does not know the store any more. */
  read(): Promise<LatestTake | undefined>;
  note(take: LatestTake): Promise<void>;
}
