import {
  CancellationScope,
  ChildWorkflowFailure,
  condition,
  getExternalWorkflowHandle,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { BatchInput, RowPlace } from '../contracts/batch';
import type { BatchDeadline } from './batch-deadline';
import type { BatchProgress } from './batch-progress';
import { reportRowSignal } from './messages';
import { brokenEnd, lostEnd } from './row-end';
import { type PlacedRow, rowWorkflowId, startRow } from './start-row';

/** When rows are looked for that have to tell their end, more and more rarely: each look is an event for each. */
const FIRST_LOOK_MS = 30_000;
const LONGEST_LOOK_MS = 60 * 60_000;

/** The rows under way, each a workflow of its own that goes on whatever becomes of the batch's. */
export interface RowWindow {
  begin(placed: PlacedRow): void;
  /** Has every row that was begun here tell its end to the batch's next history. */
  handOver(): Promise<void>;
  /** Has all that is under way drained, parked rows too. */
  drain(): Promise<void>;
}

/** @param rowAt finds a row again that has to be begun anew. */
export function openRowWindow(
  input: BatchInput,
  progress: BatchProgress,
  deadline: BatchDeadline,
  rowAt: (place: RowPlace) => Promise<PlacedRow | undefined>,
): RowWindow {
  const self = workflowInfo().workflowId;
  let starting = 0;
  let isDraining = false;

  async function run(placed: PlacedRow): Promise<void> {
    const { key } = placed.place;
    for (;;) {
      try {
        starting += 1;
        const child = await startRow(input, placed, deadline.time(placed.row)).finally(() => (starting -= 1));
        deadline.started(key);
        progress.ended(key, await child.end());
        return;
      } catch (error) {
        if (error instanceof ChildWorkflowFailure) {
          progress.ended(key, brokenEnd(error.cause?.message ?? error.message));
          return;
        }
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        // Of an earlier run of the batch. Where it cannot be asked it has just ended, and the ledger has what it paid for.
        if (await isAsked(placed.place)) progress.adopted(key);
        else if (isDraining) progress.ended(key, lostEnd());
        else continue;
        return;
      }
    }
  }
  function begin(placed: PlacedRow): void {
    progress.begun({ ...placed.place, ...deadline.mark(placed.row) });
    void CancellationScope.nonCancellable(() => run(placed));
  }

  /** Asks a row to tell its end; false where it has ended. */
  async function isAsked(place: RowPlace): Promise<boolean> {
    const row = getExternalWorkflowHandle(rowWorkflowId(input, place));
    try {
      await row.signal(reportRowSignal, { to: self });
      if (isDraining) await row.cancel();
      return true;
    } catch {
      return false;
    }
  }

  async function lookFor(place: RowPlace): Promise<void> {
    if (!progress.isOpen(place.key) || (await isAsked(place)) || !progress.isOpen(place.key)) return;
    const placed = isDraining ? undefined : await rowAt(place);
    if (placed === undefined) progress.ended(place.key, lostEnd());
    else begin(placed);
  }
  /** A row that was ended by force, or told its end while nobody listened, is found here. */
  async function lookAgain(): Promise<never> {
    for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_LOOK_MS)) {
      await condition(() => progress.openBy(false).length > 0);
      await sleep(waitMs);
      await Promise.all(progress.openBy(false).map(lookFor));
    }
  }
  void CancellationScope.nonCancellable(lookAgain);

  return {
    begin,
    async handOver() {
      await condition(() => starting === 0);
      await Promise.all(
        progress.openBy(true).map(async (place) => {
          if (await isAsked(place)) progress.adopted(place.key);
          // It has ended, and this history is about to hear of it.
          else await condition(() => !progress.isOpen(place.key));
        }),
      );
    },
    async drain() {
      isDraining = true;
      await condition(() => starting === 0);
      for (const place of progress.open()) {
        const row = getExternalWorkflowHandle(rowWorkflowId(input, place));
        // One that has ended is heard of, or looked for.
        row.cancel().catch(() => undefined);
      }
    },
  };
}
