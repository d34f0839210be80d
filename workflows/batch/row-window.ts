import {
  CancellationScope,
  ChildWorkflowFailure,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { TemporalFailure, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { BatchInput, RowNews, RowPlace } from '../../contracts/batch';
import { reasonOf } from '../temporal/activity-failures';
import type { BatchDeadlineMonitor } from './batch-deadline-monitor';
import type { BatchProgress } from './batch-progress';
import { reportRowSignal } from '../messages';
import { brokenEnd, lostEnd } from '../row/row-end';
import { type PlacedRow, rowWorkflowId, startRow } from './start-row';

/** Intervals of checks for rows that have to report their end. They grow, since each check is an event per row. */
const FIRST_LOOK_MS = 30_000;
const LONGEST_LOOK_MS = 60 * 60_000;

/** The rows under way. Each has its own workflow, which survives the batch's. */
export interface RowWindow {
  begin(placed: PlacedRow): void;
  /** Handles a report of a row whose end this history does not see. */
  heard(news: RowNews): void;
  /** Asks every row that this history started to report its end to the batch's next history. */
  handOver(): Promise<void>;
  /** Drains all rows under way, parked ones too. */
  drain(): Promise<void>;
}

/** @param rowAt finds a row that has to be started again. */
export function openRowWindow(
  input: BatchInput,
  progress: BatchProgress,
  readyBy: BatchDeadlineMonitor,
  rowAt: (place: RowPlace) => Promise<PlacedRow | undefined>,
): RowWindow {
  const self = workflowInfo().workflowId;
  let starting = 0;
  let isDraining = false;
  /** Reads rows that are to be started again. They wait while the batch is paused. */
  const readings = new CancellationScope();

  async function run(placed: PlacedRow): Promise<void> {
    const { key } = placed.place;
    let isGone = false;
    for (;;) {
      try {
        starting += 1;
        const child = await startRow(input, placed, { isGone, time: readyBy.time(placed.row) }).finally(
          () => (starting -= 1),
        );
        if (child === undefined) {
          isGone = !(await isAdopted(placed.place));
          if (isGone) continue;
          return;
        }
        readyBy.started(key);
        progress.ended(key, await child.end());
        return;
      } catch (error) {
        if (error instanceof ChildWorkflowFailure) {
          progress.ended(key, brokenEnd(error.cause?.message ?? error.message));
          return;
        }
        if (error instanceof WorkflowExecutionAlreadyStartedError) {
          isGone = !(await isAdopted(placed.place));
          if (isGone) continue;
          return;
        }
        if (!(error instanceof TemporalFailure)) throw error;
        progress.ended(key, brokenEnd(reasonOf(error)));
        return;
      }
    }
  }
  /**
   * Adopts a row that an earlier run of the batch started. If it cannot be asked, it has just ended, and the ledger has
   * what it paid for.
   *
   * @returns false if the row has to be started.
   */
  async function isAdopted(place: RowPlace): Promise<boolean> {
    // First, since the row's answer may arrive before the request is known to be delivered.
    progress.adopted(place.key);
    if ((await isAsked(place)) || !progress.isOpen(place.key)) return true;
    if (isDraining) progress.ended(place.key, lostEnd());
    else progress.begun(place);
    return isDraining;
  }
  function begin(placed: PlacedRow): void {
    progress.begun({ ...placed.place, ...readyBy.mark(placed.row) });
    void CancellationScope.nonCancellable(() => run(placed));
  }

  /** Asks a row to report its end; false if it has ended. */
  async function isAsked(place: RowPlace): Promise<boolean> {
    const row = getExternalWorkflowHandle(rowWorkflowId(input, place));
    try {
      await row.signal(reportRowSignal, { to: self, digest: place.digest, renderId: input.renderId });
      if (isDraining) await row.cancel();
      return true;
    } catch {
      return false;
    }
  }

  async function lookFor(place: RowPlace): Promise<void> {
    if (!progress.isOpen(place.key) || (await isAsked(place)) || !progress.isOpen(place.key)) return;
    await beginAgain(place);
  }
  async function beginAgain(place: RowPlace): Promise<void> {
    try {
      const placed = isDraining ? undefined : await readings.run(() => rowAt(place));
      if (!progress.isOpen(place.key)) return;
      if (isDraining || placed === undefined) progress.ended(place.key, lostEnd());
      else begin(placed);
    } catch (error) {
      if (!(error instanceof TemporalFailure)) throw error;
      progress.ended(place.key, isCancellation(error) ? lostEnd() : brokenEnd(reasonOf(error)));
    }
  }
  /** Finds rows that were terminated, or that reported their end while no history listened. */
  async function lookAgain(): Promise<never> {
    for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_LOOK_MS)) {
      await condition(() => progress.openBy(false).length > 0);
      await sleep(waitMs);
      await Promise.all(progress.openBy(false).map(lookFor));
      progress.looked();
    }
  }
  void CancellationScope.nonCancellable(lookAgain);

  return {
    begin,
    heard(news) {
      const place = progress.place(news.key);
      if (place === undefined || !progress.isNews(news)) return;
      const { digest, end } = news;
      if (digest === place.digest) progress.heard(news);
      else if (end === null || end.state === 'parked') {
        // The row was started for an earlier version. It pays for nothing more, and its paid work is collected.
        getExternalWorkflowHandle(rowWorkflowId(input, place))
          .cancel()
          .catch(() => undefined);
      } else {
        progress.earlierEnded(news, end);
        void CancellationScope.nonCancellable(() => beginAgain(place));
      }
    },
    async handOver() {
      await condition(() => starting === 0);
      await Promise.all(
        progress.openBy(true).map(async (place) => {
          if (await isAsked(place)) progress.asked(place.key);
          // The row has ended, and this history will see its end.
          else await condition(() => !progress.isOpen(place.key));
        }),
      );
    },
    async drain() {
      isDraining = true;
      readings.cancel();
      await condition(() => starting === 0);
      for (const place of progress.open()) {
        const row = getExternalWorkflowHandle(rowWorkflowId(input, place));
        // The end of a row is reported, or found by `lookAgain`.
        row.cancel().catch(() => undefined);
      }
    },
  };
}
