import {
  CancellationScope,
  ChildWorkflowFailure,
  condition,
  type ExternalWorkflowHandle,
  getExternalWorkflowHandle,
  isCancellation,
  patched,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { TemporalFailure, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { BatchInput, RowNews, RowPlace } from '../../contracts/render/batch';
import { reasonOf } from '../temporal/activity-failures';
import type { BatchDeadlineMonitor } from './batch-deadline-monitor';
import type { BatchProgress } from './batch-progress';
import { reportRowSignal } from '../messages';
import { brokenEnd, lostEnd } from '../row/row-end';
import type { ParkRules } from './parked-row';
import { type PlacedRow, rowWorkflowId, startRow } from './start-row';

/** Bounds of the interval between `#lookAgain` checks. It grows, since a check adds events for each row. */
const FIRST_LOOK_MS = 30_000;
const LONGEST_LOOK_MS = 60 * 60_000;

const PARK_RULES: ParkRules = {
  tellsOtherReason() {
    if (!patched('parked-row-tells-other-reason')) return false;
    return true;
  },
  countsEarlierRows() {
    if (!patched('row-of-earlier-run-counts')) return false;
    return true;
  },
};

/** Reads a row that has to be started again; undefined if its page lacks the row. */
type FindRow = (place: RowPlace) => Promise<PlacedRow | undefined>;

/**
 * Starts the rows of a batch and follows them to their ends. Each row has its own workflow, which can outlive the
 * batch's workflow.
 */
export class RowWindow {
  readonly #input: BatchInput;
  readonly #progress: BatchProgress;
  readonly #readyBy: BatchDeadlineMonitor;
  readonly #rowAt: FindRow;
  readonly #self = workflowInfo().workflowId;
  /** Keys of the rows whose workflows are being started. */
  readonly #starting = new Set<string>();
  #isDraining = false;
  /** Scope of `#rowAt` calls, so that `drain` can cancel them: they wait while the batch is paused. */
  readonly #readings = new CancellationScope();

  constructor(input: BatchInput, progress: BatchProgress, readyBy: BatchDeadlineMonitor, rowAt: FindRow) {
    this.#input = input;
    this.#progress = progress;
    this.#readyBy = readyBy;
    this.#rowAt = rowAt;
    void CancellationScope.nonCancellable(() => this.#lookAgain());
  }

  begin(placed: PlacedRow): void {
    this.#progress.begun({ ...placed.place, ...this.#readyBy.mark(placed.row) });
    void CancellationScope.nonCancellable(() => this.#run(placed));
  }

  /** Handles a row's report that it is parked, continues or has ended. Rows report their end only when asked. */
  heard(news: RowNews): void {
    const place = this.#progress.place(news.key);
    if (place === undefined || !this.#progress.isNews(news)) return;
    const { digest, end } = news;
    if (digest === place.digest) this.#progress.heard(news, PARK_RULES);
    else if (end === null || end.state === 'parked') {
      // The row's workflow was started for an earlier version of the row. A cancelled workflow pays for nothing more
      // and collects its paid work.
      this.#cancel(place);
    } else {
      this.#progress.earlierEnded(news, end);
      void CancellationScope.nonCancellable(() => this.#beginAgain(place));
    }
  }

  /** After this, the rows started by this history report their ends to the batch's next history. */
  async handOver(): Promise<void> {
    await condition(() => this.#starting.size === 0);
    await Promise.all(
      this.#progress.openBy(true).map(async (place) => {
        if (await this.#isAsked(place)) this.#progress.asked(place.key);
        // The row has ended, and this history will see its end.
        else await condition(() => !this.#progress.isOpen(place.key));
      }),
    );
  }

  /** Asks all open rows to drain, including parked rows. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#readings.cancel();
    const asked = this.#starting.size > 0 ? this.#cancelStarted() : new Set();
    await condition(() => this.#starting.size === 0);
    // The end of a row arrives as a child's result or as a report, or is found by `#lookAgain`.
    for (const place of this.#progress.open()) if (!asked.has(place.key)) this.#cancel(place);
  }

  /**
   * Asks each row that has a running workflow to drain. A row may be starting for long, for example while the store
   * cannot be written, and the others must not wait for it.
   *
   * @returns the keys of the asked rows.
   */
  #cancelStarted(): ReadonlySet<string> {
    if (!patched('rows-drain-while-others-start')) return new Set();
    const started = this.#progress.open().filter(({ key }) => !this.#starting.has(key));
    for (const place of started) this.#cancel(place);
    return new Set(started.map(({ key }) => key));
  }

  /** Asks a row that started during the drain to drain too: `drain` may still wait for other rows to start. */
  #cancelLate(place: RowPlace): void {
    if (!patched('late-rows-drain')) return;
    this.#cancel(place);
  }

  async #run(placed: PlacedRow): Promise<void> {
    const { key } = placed.place;
    let isGone = false;
    for (;;) {
      try {
        this.#starting.add(key);
        const start = { isGone, time: this.#readyBy.time(placed.row), isDraining: () => this.#isDraining };
        const child = await startRow(this.#input, placed, start).finally(() => this.#starting.delete(key));
        if (child === undefined) {
          isGone = !(await this.#isAdopted(placed.place));
          if (isGone) continue;
          return;
        }
        this.#readyBy.started(key);
        if (this.#isDraining) this.#cancelLate(placed.place);
        this.#progress.ended(key, await child.end());
        return;
      } catch (error) {
        if (error instanceof ChildWorkflowFailure) {
          this.#progress.ended(key, brokenEnd(error.cause?.message ?? error.message));
          return;
        }
        if (error instanceof WorkflowExecutionAlreadyStartedError) {
          isGone = !(await this.#isAdopted(placed.place));
          if (isGone) continue;
          return;
        }
        if (!(error instanceof TemporalFailure)) throw error;
        this.#progress.ended(key, brokenEnd(reasonOf(error)));
        return;
      }
    }
  }

  /**
   * Adopts a row that an earlier run of the batch started: asks it to report its end. If the request fails, the row has
   * ended and may be started again: the ledger has its paid work.
   *
   * @returns false if the row has to be started.
   */
  async #isAdopted(place: RowPlace): Promise<boolean> {
    // Recorded before the request, since the row may answer before the delivery of the request is known.
    this.#progress.adopted(place.key);
    if ((await this.#isAsked(place)) || !this.#progress.isOpen(place.key)) return true;
    if (this.#isDraining) this.#progress.ended(place.key, lostEnd());
    else this.#progress.begun(place);
    return this.#isDraining;
  }

  /** Asks a row to report its end, and to drain if the batch drains. False if no workflow of the row is under way. */
  async #isAsked(place: RowPlace): Promise<boolean> {
    const row = this.#handleOf(place);
    try {
      const { renderId } = this.#input;
      await row.signal(reportRowSignal, { to: this.#self, digest: place.digest, renderId });
      if (this.#isDraining) await row.cancel();
      return true;
    } catch {
      return false;
    }
  }

  async #beginAgain(place: RowPlace): Promise<void> {
    const { key } = place;
    try {
      const placed = this.#isDraining ? undefined : await this.#readings.run(() => this.#rowAt(place));
      if (!this.#progress.isOpen(key)) return;
      if (this.#isDraining || placed === undefined) this.#progress.ended(key, lostEnd());
      else this.begin(placed);
    } catch (error) {
      if (!(error instanceof TemporalFailure)) throw error;
      this.#progress.ended(key, isCancellation(error) ? lostEnd() : brokenEnd(reasonOf(error)));
    }
  }

  /** Restarts rows of earlier histories that were terminated, or reported their end while no history listened. */
  async #lookAgain(): Promise<never> {
    for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_LOOK_MS)) {
      await condition(() => this.#progress.openBy(false).length > 0);
      await sleep(waitMs);
      await Promise.all(this.#progress.openBy(false).map((place) => this.#lookFor(place)));
      this.#progress.looked();
    }
  }

  async #lookFor(place: RowPlace): Promise<void> {
    const { key } = place;
    if (!this.#progress.isOpen(key) || (await this.#isAsked(place)) || !this.#progress.isOpen(key)) return;
    await this.#beginAgain(place);
  }

  /** Asks a row to drain. A row that has ended does not need the request. */
  #cancel(place: RowPlace): void {
    this.#handleOf(place)
      .cancel()
      .catch(() => undefined);
  }

  #handleOf(place: RowPlace): ExternalWorkflowHandle {
    return getExternalWorkflowHandle(rowWorkflowId(this.#input, place));
  }
}
