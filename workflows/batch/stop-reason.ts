import { type BatchInput, MOST_PARKED, type RowEnd, type RowPlace } from '../../contracts/render/batch';

/**
 * Why a batch starts no further rows; undefined if it goes on. Parked rows with `isEarlier` do not count.
 *
 * @param failed number of rows that have failed.
 * @param allParked the rows that wait for people or for credits.
 */
export function stopReason(
  { stopAfterFailures }: Pick<BatchInput, 'stopAfterFailures'>,
  failed: number,
  allParked: readonly (Pick<RowPlace, 'isEarlier'> & { readonly end: Pick<RowEnd, 'parkedFor'> })[],
): string | undefined {
  const parked = allParked.filter(({ isEarlier }) => isEarlier !== true);
  const failures = failed + parked.filter(({ end }) => end.parkedFor === 'failed').length;
  if (stopAfterFailures !== null && failures >= stopAfterFailures) {
    return `stopped after ${failures} ${failures === 1 ? 'failure' : 'failures'}`;
  }
  if (parked.some(({ end }) => end.parkedFor === 'credits')) return 'the account has no credits left';
  return parked.length >= MOST_PARKED ? `${parked.length} rows wait for people` : undefined;
}
