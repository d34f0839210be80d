/**
 * The last take that was recorded in Temporal for an account and store; not every take is recorded. A ledger that lacks
 * this take is an older copy, or has lost records.
 *
 * See docs/decisions/0041-latest-take.md.
 */
export interface LatestTake {
  readonly productionId: string;
  readonly shotId: string;
  readonly takeKey: string;
  /** Take number; absent in records of older versions. */
  readonly take?: number;
  /** ISO 8601, by the clock of the worker that was about to send the take. */
  readonly at: string;
}

/** Key of the latest take in the memo of the `latestTake` workflow. */
export const LATEST_TAKE_MEMO = 'latestTake';

/** Reads and writes the latest take in Temporal. */
export interface LatestTakeLine {
  /** Undefined if Temporal has no record of a take, for example because the server is new. */
  read(): Promise<LatestTake | undefined>;
  note(take: LatestTake): Promise<void>;
}
