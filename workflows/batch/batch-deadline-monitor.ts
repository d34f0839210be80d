import { condition, getExternalWorkflowHandle, isCancellation, patched } from '@temporalio/workflow';
import type { BatchInput, RowPlace } from '../../contracts/render/batch';
import type { BatchRow } from '../../contracts/render/batch-page';
import type { BatchReadyByStatus, CarriedReadyBy } from '../../contracts/render/batch-time';
import { BatchOutlook } from './batch-outlook';
import type { BatchProgress } from './batch-progress';
import { nowMs, timestamp } from '../temporal/clock';
import { LEAST_LOOK_MS, learnTimes } from '../deadline/learn-times';
import { standDownSignal } from '../messages';
import { type RowTime, rowWorkflowId } from './start-row';

/**
 * While a model's usual time is unknown, times are looked up again after this many rows have ended, and then when the
 * number of ended rows has doubled since the last look-up.
 */
const FIRST_LOOK_ENDS = 3;

/**
 * Applies a batch's `readyBy`: decides when rows become urgent, and when they have to use the fallback. Without
 * `readyBy` it does nothing and adds no events.
 *
 * Asks rows under way to stand down (to use the fallback if nothing was sent), since only a row knows whether it has
 * sent anything. See docs/decisions/0022-ready-by.md.
 */
export interface BatchDeadlineMonitor {
  /**
   * Looks up the usual times, unless they were carried over, and starts to watch the time. Await it before rows start.
   */
  open(): Promise<void>;
  /** The effect of `readyBy` on a row that starts now. */
  time(row: BatchRow): RowTime;
  /** The `RowPlace` field of a row that can be asked to stand down later; empty for other rows. */
  mark(row: BatchRow): Pick<RowPlace, 'mayFallBackFrom'>;
  begun(row: BatchRow): void;
  /** To be called when the row's workflow has started, so that it can be asked to stand down. */
  started(key: string): void;
  /** To be called when rows may have ended. */
  check(): void;
  /** Stops, and resolves when none of its work is under way. Await it before the workflow ends or continues as new. */
  close(): Promise<void>;
  readonly carried: () => { readonly deadline?: CarriedReadyBy };
  readonly status: () => { readonly readyBy?: BatchReadyByStatus };
}

export function openBatchDeadlineMonitor(input: BatchInput, progress: BatchProgress): BatchDeadlineMonitor {
  const { readyBy } = input;
  return readyBy === undefined ? NO_READY_BY : new RunningMonitor(input, readyBy, progress);
}

class RunningMonitor implements BatchDeadlineMonitor {
  readonly #input: BatchInput;
  readonly #progress: BatchProgress;
  readonly #at: string;
  readonly #atMs: number;
  readonly #hasFallback: boolean;
  readonly #outlook: BatchOutlook;
  readonly #asking: Promise<void>[] = [];
  #fellBackAt: string | null;
  #lookAfterEnds = FIRST_LOOK_ENDS;
  #watching: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(input: BatchInput, readyBy: NonNullable<BatchInput['readyBy']>, progress: BatchProgress) {
    this.#input = input;
    this.#progress = progress;
    this.#at = readyBy.at;
    this.#atMs = Date.parse(readyBy.at);
    this.#hasFallback = readyBy.hasFallback;
    this.#outlook = new BatchOutlook(readyBy, input, progress);
    this.#fellBackAt = input.carried?.deadline?.fellBackAt ?? null;
  }

  async open(): Promise<void> {
    if (this.#outlook.models().length === 0) return;
    if (this.#input.carried?.deadline === undefined) await this.#learn();
    this.#watching = this.#watch().catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    });
  }

  time(row: BatchRow): RowTime {
    if (row.kind === 'production') return { isDue: false };
    const urgentFrom = this.#outlook.urgentFrom();
    return { ...(urgentFrom === null ? {} : { urgentFrom }), isDue: this.#isDue(row.shot.model) };
  }

  mark(row: BatchRow): Pick<RowPlace, 'mayFallBackFrom'> {
    if (row.kind === 'production' || row.fallback === undefined || this.#isDue(row.shot.model)) return {};
    return { mayFallBackFrom: row.shot.model };
  }

  begun(row: BatchRow): void {
    if (row.kind === 'generation') this.#outlook.begun(row.shot.model);
  }

  started(key: string): void {
    if (this.#fellBackAt === null) return;
    for (const place of this.#progress.mayFallBack()) if (place.key === key) this.#ask(place);
  }

  check(): void {
    this.#outlook.look();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#watching;
    await Promise.all(this.#asking);
  }

  carried(): { readonly deadline: CarriedReadyBy } {
    const byFallback = this.#progress.byFallback();
    return { deadline: { ...this.#outlook.carried(), fellBackAt: this.#fellBackAt, byFallback } };
  }

  status(): { readonly readyBy: BatchReadyByStatus } {
    const last = this.#lastMomentMs();
    return {
      readyBy: {
        at: this.#at,
        urgentFrom: this.#outlook.urgentFrom(),
        lastMoment: this.#fellBackAt ?? (last === null ? null : timestamp(last)),
        fallback: this.#progress.byFallback(),
        warning: this.#outlook.warning(),
      },
    };
  }

  /** Rows of a model without a known time never use the fallback. */
  #isDue(model: string): boolean {
    return this.#outlook.isTimed(model) && this.#hasFallenBack();
  }

  /** The last moment is final: once it has come, rows use the fallback even if the pace improves. */
  #hasFallenBack(): boolean {
    if (this.#fellBackAt !== null) return true;
    const last = this.#lastMomentMs();
    if (last === null || nowMs() < last || nowMs() >= this.#atMs) return false;
    this.#fellBackAt = timestamp(nowMs());
    return true;
  }

  /** The last moment for rows to start as written; null if it is unknown, or if the batch has no fallback. */
  #lastMomentMs(): number | null {
    return this.#hasFallback ? this.#outlook.lastMomentMs() : null;
  }

  #learn(): Promise<void> {
    this.#lookAfterEnds = Math.max(FIRST_LOOK_ENDS, 2 * this.#progress.figures().ended);
    return learnTimes(this.#outlook.models(), ({ slow }) => {
      this.#outlook.learned(slow);
    });
  }

  async #watch(): Promise<void> {
    while (!this.#isSettled()) {
      await condition(() => this.#isSettled() || this.#isNews(), this.#waitMs());
      if (this.#isSettled()) break;
      await this.#learn();
      this.#hasFallenBack();
    }
    if (this.#isClosed || this.#fellBackAt === null) return;
    for (const place of this.#progress.mayFallBack()) this.#ask(place);
  }

  #isSettled(): boolean {
    return this.#isClosed || this.#fellBackAt !== null || nowMs() >= this.#atMs;
  }

  #isNews(): boolean {
    return this.#outlook.untimed().length > 0 && this.#progress.figures().ended >= this.#lookAfterEnds;
  }

  /**
   * Returns half of the time until the last moment, so that changes are noticed early. If little time is left, returns
   * all of it. If there is no last moment, `readyBy` takes its place.
   */
  #waitMs(): number {
    const leftMs = (this.#lastMomentMs() ?? this.#atMs) - nowMs();
    return Math.max(1, leftMs < 2 * LEAST_LOOK_MS ? leftMs : leftMs / 2);
  }

  #ask({ key, mayFallBackFrom, ...place }: RowPlace): void {
    if (mayFallBackFrom === undefined || !this.#outlook.isTimed(mayFallBackFrom)) return;
    const row = getExternalWorkflowHandle(rowWorkflowId(this.#input, { ...place, key }));
    const asked = row.signal(standDownSignal).then(
      () => {
        if (place.isEarlier === true && !patched('fallback-keeps-earlier')) this.#progress.askedToFallBack(key, false);
        else this.#progress.askedToFallBack(key, true);
      },
      // The row has ended, or has not started yet. In the second case, `started` asks it.
      () => undefined,
    );
    this.#asking.push(asked);
  }
}

const NO_READY_BY: BatchDeadlineMonitor = {
  open: () => Promise.resolve(),
  time: () => ({ isDue: false }),
  mark: () => ({}),
  begun: () => undefined,
  started: () => undefined,
  check: () => undefined,
  close: () => Promise.resolve(),
  carried: () => ({}),
  status: () => ({}),
};
