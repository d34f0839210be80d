import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { RowOutcome } from '../../contracts/render/batch';
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
  /** Whether everything was reported. */
  isIdle(): boolean;
  /** The state to hand over when the row continues as new. */
  carried(): CarriedRow | null;
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
  let outcome: RowOutcome | null = null;
  let lastRun = carried?.lastRun ?? row.renderId;
  let isAskedAnew = false;
  /** Whether the row was parked after the batch's run first asked. */
  let isFresh = false;
  /** Whether the history before left the row parked, and a later run of the batch had asked since. */
  let wasParkedBefore = carried?.wasParkedBefore === true;
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
      const fresh = isFresh && outcome?.state === 'parked' ? ({ isFresh: true } as const) : {};
      const news = { key, digest, runId, news: newsDue, end: outcome, ...fresh };
      const batch = getExternalWorkflowHandle(asked ?? row?.batch ?? '');
      // If the batch is gone, the message is not needed: the next run asks again, and the ledger records paid work.
      await batch.signal(rowNewsSignal, news).catch(() => undefined);
      newsDelivered = news.news;
    }
    isTelling = false;
  }

  setHandler(reportRowSignal, ({ to, digest: wanted, renderId }) => {
    asked = to;
    isAskedAnew ||= renderId !== lastRun;
    isFresh &&= renderId === lastRun;
    lastRun = renderId;
    if (outcome !== null || wanted !== digest) tell();
  });

  return {
    parked(end) {
      isFresh ||= outcome === null && !wasParkedBefore;
      outcome = end;
      isAskedAnew = false;
      tell();
    },
    resumed() {
      outcome = null;
      [isFresh, wasParkedBefore] = [false, false];
      tell();
    },
    async ended(end) {
      outcome = end;
      if (asked !== null) tell();
      await CancellationScope.nonCancellable(() => condition(() => !isTelling));
    },
    isAskedAnew: () => isAskedAnew,
    isIdle: () => !isTelling,
    carried: () => ({
      ...{ asked, lastRun, told: newsDelivered },
      ...(outcome?.state === 'parked' && !isFresh ? { wasParkedBefore: true } : {}),
    }),
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
