import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { RowNews, RowOutcome } from '../../contracts/render/batch';
import type { CarriedRow } from '../../contracts/render/carried-production';
import type { RowOf } from '../../contracts/workflows';
import { reportRowSignal, rowNewsSignal } from '../messages';

/** Reports a row's state to its batch, if the batch cannot see the state by itself. */
export interface RowReport {
  /** Reports that the row waits for people, so that the batch can start another row. */
  parked(end: RowOutcome): void;
  resumed(): void;
  /** Resolves when all reports are delivered or the batch is gone. Await this last. */
  ended(end: RowOutcome): Promise<void>;
  /**
   * Whether a later run of the batch has asked for a report since the row was parked. If so, a row that waits for
   * credits tries again.
   */
  isAskedAnew(): boolean;
  /** Whether no report is being delivered. */
  isIdle(): boolean;
  /** The state to hand over when the row continues as new. */
  carried(): CarriedRow | null;
}

/** The state that a row reports to its batch. Pure, so that it can be tested without a server. */
export class ReportedState {
  #outcome: RowOutcome | null = null;
  /** See `CarriedRow.park`. After continue-as-new, the carried value is set before `parked` is called again. */
  #park: CarriedRow['park'];
  #lastRun: string;
  #isAskedAnew = false;

  constructor({ lastRun, park }: Pick<CarriedRow, 'lastRun' | 'park'>) {
    this.#lastRun = lastRun;
    this.#park = park;
  }

  /**
   * Records that the batch's run `renderId` has asked for a report. If another run asked last, a parked row was parked
   * before this run.
   */
  asked(renderId: string): void {
    if (renderId === this.#lastRun) return;
    this.#lastRun = renderId;
    this.#isAskedAnew = true;
    if (this.#park !== undefined) this.#park = 'before';
  }

  parked(end: RowOutcome): void {
    this.#outcome = end;
    this.#park ??= 'fresh';
    this.#isAskedAnew = false;
  }

  resumed(): void {
    this.#outcome = null;
    this.#park = undefined;
  }

  ended(end: RowOutcome): void {
    this.#outcome = end;
    this.#park = undefined;
  }

  isAskedAnew(): boolean {
    return this.#isAskedAnew;
  }

  news(): Pick<RowNews, 'end' | 'isFresh'> {
    const isFresh = this.#outcome?.state === 'parked' && this.#park === 'fresh';
    return { end: this.#outcome, ...(isFresh ? { isFresh } : {}) };
  }

  carried(): Pick<CarriedRow, 'lastRun' | 'park'> {
    return { lastRun: this.#lastRun, ...(this.#park === undefined ? {} : { park: this.#park }) };
  }
}

/**
 * Registers the signal by which a batch asks for the row's end. Call this before anything is awaited.
 *
 * A batch execution sees the ends of the rows that it started: they are its child workflows. Rows that outlive it are
 * asked to report. So a row usually costs no signal. Without a batch, nothing is reported.
 */
export function openRowReport(row: RowOf | undefined, carried?: CarriedRow | null): RowReport {
  if (row === undefined) return SILENT;
  const { key, digest } = row;
  const runId = workflowInfo().firstExecutionRunId;
  const state = new ReportedState(carried ?? { lastRun: row.renderId });
  /** The workflow to report the end to; null if the batch sees the end. */
  let asked = carried?.asked ?? null;
  let [newsDelivered, newsDue] = [carried?.told ?? 0, carried?.told ?? 0];
  let isTelling = false;

  function tell(): void {
    newsDue += 1;
    if (!isTelling) void CancellationScope.nonCancellable(deliver);
  }
  /** Sends one signal at a time, since two signals at once may arrive out of order. */
  async function deliver(): Promise<void> {
    isTelling = true;
    while (newsDelivered < newsDue) {
      const news = { key, digest, runId, news: newsDue, ...state.news() };
      const batch = getExternalWorkflowHandle(asked ?? row?.batch ?? '');
      // If the batch is gone, the message is not needed: the next run asks again, and the ledger records paid work.
      await batch.signal(rowNewsSignal, news).catch(() => undefined);
      newsDelivered = news.news;
    }
    isTelling = false;
  }

  setHandler(reportRowSignal, ({ to, digest: wanted, renderId }) => {
    asked = to;
    state.asked(renderId);
    if (state.news().end !== null || wanted !== digest) tell();
  });

  return {
    parked(end) {
      state.parked(end);
      tell();
    },
    resumed() {
      state.resumed();
      tell();
    },
    async ended(end) {
      state.ended(end);
      if (asked !== null) tell();
      await CancellationScope.nonCancellable(() => condition(() => !isTelling));
    },
    isAskedAnew: () => state.isAskedAnew(),
    isIdle: () => !isTelling,
    carried: () => ({ asked, told: newsDelivered, ...state.carried() }),
  };
}

const SILENT: RowReport = {
  parked: () => undefined,
  resumed: () => undefined,
  ended: () => Promise.resolve(),
  isAskedAnew: () => false,
  isIdle: () => true,
  carried: () => null,
};
