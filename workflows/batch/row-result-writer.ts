import { CancellationScope, condition } from '@temporalio/workflow';
import type { BatchInput, RowEnd } from '../../contracts/render/batch';
import { untilServed } from '../temporal/activity-failures';
import { batchActivities } from '../temporal/activity-options';
import type { BatchProgress } from './batch-progress';

/**
 * Maximum number of row ends per record, limited by the payload. Ends are recorded together, since each record adds
 * events and a disk flush.
 */
const NOTED_TOGETHER = 50;

/** Longest time that an end waits for others, so that people see a single end soon. */
const NOTED_WITHIN = '2 seconds';

/** Records the ends of rows in the store. */
export interface RowResultWriter {
  /** Records all remaining ends. Call it again if rows may have ended since. */
  close(): Promise<void>;
  /** Number of records so far. */
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
