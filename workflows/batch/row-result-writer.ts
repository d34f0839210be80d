import { CancellationScope, condition } from '@temporalio/workflow';
import type { BatchInput, RowEnd } from '../../contracts/batch';
import { untilServed } from '../temporal/activity-failures';
import { batchActivities } from '../temporal/activity-options';
import type { BatchProgress } from './batch-progress';

/** Ends are noted together: a note is some events of the history, and a flush of the disk. No more, for the payload. */
const NOTED_TOGETHER = 50;

/** Whoever watches waits no longer for an end that came alone. */
const NOTED_WITHIN = '2 seconds';

/** Notes in the store what becomes of rows, as they end. */
export interface RowResultWriter {
  /** Notes what is left. To be called once more where rows may have ended since. */
  close(): Promise<void>;
  /** Pages that are noted. */
  pages(): number;
}

export function openRowResultWriter({ batchId, run, carried }: BatchInput, progress: BatchProgress): RowResultWriter {
  let pages = carried?.noted ?? 0;
  let isClosing = false;
  const hasEnough = (): boolean => isClosing || progress.unnoted() >= NOTED_TOGETHER;

  async function write(): Promise<void> {
    while (!isClosing || progress.unnoted() > 0) {
      await condition(() => isClosing || progress.unnoted() > 0);
      if (!hasEnough()) await condition(hasEnough, NOTED_WITHIN);
      const ends = progress.takeUnnoted(NOTED_TOGETHER);
      if (ends.length > 0) await note(ends);
    }
  }
  async function note(ends: readonly RowEnd[]): Promise<void> {
    const page = pages + 1;
    await untilServed(() => batchActivities().noteRows({ batchId, run, page, ends }));
    pages = page;
  }

  const written = CancellationScope.nonCancellable(write);
  return {
    pages: () => pages,
    async close() {
      isClosing = true;
      await CancellationScope.nonCancellable(() => written.then(write));
    },
  };
}
