import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  isCancellation,
  patched,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { BatchInput, BatchStatus, CarriedBatch } from '../../contracts/render/batch';
import { reasonOf, untilServed } from '../temporal/activity-failures';
import { batchActivities } from '../temporal/activity-options';
import type { HistoryBounds } from '../temporal/history-bound';
import { type BatchNotices, openBatchNotices } from './batch-notices';
import { type BatchDeadlineMonitor, openBatchDeadlineMonitor } from './batch-deadline-monitor';
import { BatchProgress } from './batch-progress';
import { batchStatusQuery, rowNewsSignal } from '../messages';
import { openRowPages, type RowPages } from './row-pages';
import { openRowResultWriter } from './row-result-writer';
import { RowWindow } from './row-window';
import type { PlacedRow } from './start-row';

/**
 * A batch continues as new when its history exceeds `MOST_EVENTS` minus `EVENTS_OF` times `parallel`. `EVENTS_OF` is
 * the number of events that one row may add: start, end, handover and a request to use the fallback.
 */
const MOST_EVENTS = 3_500;
const EVENTS_OF = { generation: 6, timed: 9, production: 10 } as const;
const MOST_BYTES = 2_000_000;

/**
 * Renders thousands of rows, a limited number at once, each in its own workflow.
 *
 * Reads rows from the store in pages, and records their ends in the store. The history holds only ids and references.
 *
 * The batch ends when it starts no more rows and every started row has ended or is parked. Parked rows continue in
 * their own workflows when somebody decides. Cancellation drains: nothing new is paid for, and paid work is collected.
 */
export async function batch(input: BatchInput, bounds: HistoryBounds = {}): Promise<BatchStatus> {
  const progress = new BatchProgress(input);
  const readyBy = openBatchDeadlineMonitor(input, progress);
  const status = (): BatchStatus => ({ ...progress.status(), ...readyBy.status() });
  setHandler(batchStatusQuery, status);
  const pages = openRowPages(input);
  const window = new RowWindow(input, progress, readyBy, (place) => pages.rowAt(place));
  setHandler(rowNewsSignal, (news) => {
    window.heard(news);
  });
  const resultWriter = openRowResultWriter(input, progress);
  const notices = openBatchNotices(input, progress);

  let isCancelled = false;
  try {
    if (input.carried?.isCancelled === true) throw new CancelledFailure('cancelled');
    await readyBy.open();
    while (await renderRows(input, { progress, pages, window, notices, readyBy, ...bounds })) {
      await window.handOver();
      await readyBy.close();
      await resultWriter.close();
      await notices.settle();
      // Also record rows that ended while `settle` started notice workflows: the next history would not record them.
      await resultWriter.close();
      const place = { ...pages.position(), noted: resultWriter.pages() };
      // Carry a cancellation over: Temporal does not pass it on to the next execution.
      const wasCancelled = CancellationScope.current().consideredCancelled;
      const carried: CarriedBatch = {
        ...progress.carried({ ...place, toldWaits: notices.hasToldWaits(), ...readyBy.carried() }),
        ...(wasCancelled ? { isCancelled: true } : {}),
      };
      await continueAsNew<typeof batch>({ ...input, carried }, bounds);
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    isCancelled = true;
    await CancellationScope.nonCancellable(() => drained(progress, window));
  }
  await readyBy.close();
  await resultWriter.close();
  progress.close(isCancelled);
  const ended = status();
  await CancellationScope.nonCancellable(() => untilServed(() => batchActivities().archiveBatch({ status: ended })));
  await CancellationScope.nonCancellable(() => notices.ended());
  // Parked rows may continue after this. Their news no longer reaches the batch, but the ledger records their charges.
  return ended;
}

interface BatchParts extends HistoryBounds {
  readonly progress: BatchProgress;
  readonly pages: RowPages;
  readonly window: RowWindow;
  readonly notices: BatchNotices;
  readonly readyBy: BatchDeadlineMonitor;
}

/**
 * Starts rows as places become free.
 *
 * @returns true if the batch has to continue as new, false if it has ended.
 */
async function renderRows(
  { parallel, readyBy: rule }: BatchInput,
  { progress, pages, window, notices, readyBy, mostEvents = MOST_EVENTS }: BatchParts,
): Promise<boolean> {
  const ofTask = rule?.hasFallback === true ? 'timed' : 'generation';
  let hasMore = true;
  for (;;) {
    while (hasMore && progress.room() > 0) {
      const placed = await nextRow(pages, progress);
      if (placed === undefined) hasMore = false;
      // While the page was read, the batch may have stopped, or parked rows may have resumed.
      else if (progress.room() <= 0 && patched('room-is-checked-after-a-page')) pages.putBack();
      else {
        window.begin(placed);
        readyBy.begun(placed.row);
      }
    }
    readyBy.check();
    showDetails(progress.status());
    notices.look();
    const isAllBegun = !hasMore || progress.stopped() !== null;
    if (isAllBegun && progress.isIdle()) return false;
    const { historyLength, historySize } = workflowInfo();
    const kind = progress.open().some(({ isProduction }) => isProduction) ? 'production' : ofTask;
    if (historyLength > mostEvents - EVENTS_OF[kind] * parallel || historySize > MOST_BYTES) return true;
    const changes = progress.changes();
    await condition(() => progress.changes() !== changes);
  }
}

/** Returns the next row; undefined if there is none, or if rows cannot be read. After undefined, no more rows start. */
async function nextRow(pages: RowPages, progress: BatchProgress): Promise<PlacedRow | undefined> {
  try {
    return await pages.next();
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    if (isCancellation(error)) throw error;
    progress.stop(reasonOf(error));
    return undefined;
  }
}

async function drained(progress: BatchProgress, window: RowWindow): Promise<void> {
  progress.stop('cancelled');
  await window.drain();
  await condition(() => progress.open().length === 0);
}

/** Shows the batch's state in Temporal's UI. */
function showDetails({ batch: id, rows, open, counts, underWay }: BatchStatus): void {
  const parts = Object.entries(counts).flatMap(([state, count]) => (count === 0 ? [] : [`${count} ${state}`]));
  setCurrentDetails(
    [`**${id}**: ${open} of ${rows} rows in this run`, `${underWay.length} under way`, ...parts].join(', '),
  );
}
