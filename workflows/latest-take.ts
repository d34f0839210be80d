import { condition, makeContinueAsNewFunc, setHandler, upsertMemo, workflowInfo } from '@temporalio/workflow';
import { LATEST_TAKE_MEMO, type LatestTake } from '../contracts/gateway/latest-take';
import { noteLatestTakeSignal } from './messages';
import { neverPinned } from './temporal/never-pinned';

/** The workflow continues as new above this number of events. Each recorded take adds about five events. */
const LONGEST_HISTORY = 2_000;

/**
 * Keeps a memo with the take that was last recorded for an account and a store. Temporal returns it without a worker.
 *
 * One instance runs for each account and store, and never ends. See docs/decisions/0041-latest-take.md.
 */
export async function latestTake(first: LatestTake, longestHistory = LONGEST_HISTORY): Promise<void> {
  let latest = first;
  let noted = first;
  setHandler(noteLatestTakeSignal, (take) => {
    latest = take;
  });
  for (;;) {
    await condition(() => latest !== noted);
    noted = latest;
    upsertMemo({ [LATEST_TAKE_MEMO]: noted });
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    if (historyLength > longestHistory || continueAsNewSuggested) {
      const again = makeContinueAsNewFunc<typeof latestTake>({ memo: { [LATEST_TAKE_MEMO]: noted } });
      await again(noted, longestHistory);
    }
  }
}

neverPinned(latestTake);
