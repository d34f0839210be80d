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

/** When rows are looked for that have to tell their end, more and more rarely: each look is an event for each. */
const FIRST_LOOK_MS = 30_000;
const LONGEST_LOOK_MS = 60 * 60_000;

/** The rows under way, each a workflow of its own that goes on whatever becomes of the batch's. */
export interface RowWindow {
  begin(placed: PlacedRow): void;
  /** What a row tells that this history does not see the end of. */
  heard(news: RowNews): void;
  /** Has every row that was begun here tell its end to the batch's next history. */
  handOver(): Promise<void>;
  /** Has all that is under way drained, parked rows too. */
  drain(): Promise<void>;
}

/** @param rowAt finds a row again that has to be begun anew. */
export function openRowWindow(
  input: BatchInput,
  progress: BatchProgress,
  readyBy: BatchDeadlineMonitor,
  rowAt: (place: RowPlace) => Promise<PlacedRow | undefined>,
): RowWindow {
  const self = workflowInfo().workflowId;
  let starting = 0;
  let isDraining = false;
  /** Of rows that are to be begun anew; they wait while the batch is held. */
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
   * An earlier run of the batch has begun it. Where it cannot be asked it has just ended, and the ledger has what it paid
   * for.
   *
   * @returns false where it is to be begun.
   */
  async function isAdopted(place: RowPlace): Promise<boolean> {
    // First, for its answer may come before it is known that it was asked.
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

  /** Asks a row to tell its end; false where it has ended. */
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
  /** A row that was ended by force, or told its end while nobody listened, is found here. */
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
        // Begun for what is wanted no more: it buys nothing further, and what it has paid for is collected.
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
          // It has ended, and this history is about to hear of it.
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
        // One that has ended is heard of, or looked for.
        row.cancel().catch(() => undefined);
      }
    },
  };
}
