import type { RowEnd, RowNews, RowOutcome, RowPlace } from '../../contracts/render/batch';
import { endOfRow, isSameEnd, isSamePark } from '../row/row-end';

/** A row with a running workflow. `isOwn`: the batch awaits its result; otherwise the row must report its end. */
export type UnderWay = RowPlace & { isOwn: boolean };
export type ParkedRow = UnderWay & { readonly end: RowEnd };

/**
 * Behaviour in which versions of the batch differ. A function is called only when its answer matters, and returns false
 * only in replays of older histories.
 */
export interface ParkRules {
  /** Whether a parked row is recorded again when it waits for another reason. */
  readonly tellsOtherReason: () => boolean;
  /** Whether an earlier run's row that parks during this run counts for the limits that stop the batch. */
  readonly countsEarlierRows: () => boolean;
}

export const PRESENT_RULES: ParkRules = { tellsOtherReason: () => true, countsEarlierRows: () => true };

/** Returns the row with the parked state that it has reported; undefined if the report repeats an earlier one. */
export function parkedRow(
  row: UnderWay | ParkedRow,
  outcome: RowOutcome,
  { isFresh }: Pick<RowNews, 'isFresh'>,
  { tellsOtherReason, countsEarlierRows }: ParkRules,
): ParkedRow | undefined {
  // A fresh report counts even if the reason is the same: a row that resumes and parks again may send one report for
  // both.
  const countsNow = row.isEarlier === true && isFresh === true && countsEarlierRows();
  // A row that is asked for its state repeats its last report.
  const isSame = !countsNow && 'end' in row && isSameEnd(row.end, outcome);
  if (isSame && (isSamePark(row.end, outcome) || !tellsOtherReason())) return undefined;
  const parked = { ...row, end: endOfRow(row, outcome) };
  return countsNow ? ofThisRun(parked) : parked;
}

function ofThisRun({ isEarlier: _isEarlier, ...row }: ParkedRow): ParkedRow {
  return row;
}
