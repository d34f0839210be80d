import { condition, getExternalWorkflowHandle, isCancellation } from '@temporalio/workflow';
import type { BatchInput, BatchRow, RowPlace } from '../../contracts/batch';
import type { BatchReadyByStatus, CarriedReadyBy } from '../../contracts/batch-time';
import type { BatchProgress } from './batch-progress';
import {
  batchLeftMs,
  type BatchRemaining,
  lastMomentMs,
  NO_PACE,
  paceAfter,
  untimedModels,
  urgentAtMs,
} from './batch-time-left';
import { nowMs, timestamp } from '../temporal/clock';
import { LEAST_LOOK_MS, learnTimes } from '../deadline/learn-times';
import { standDownSignal } from '../messages';
import { type RowTime, rowWorkflowId } from './start-row';

/**
 * If a model's usual time is unknown, it is looked up again after this many ends, then after twice as many each time.
 */
const FIRST_LOOK_ENDS = 3;

/**
 * Keeps a batch on its `readyBy`. Without one it does nothing and adds no events.
 *
 * It decides when rows are due and asks rows under way to stand down. Only the row itself knows whether anything was
 * sent. See docs/decisions/0022-ready-by.md.
 */
export interface BatchDeadlineMonitor {
  /** Looks up the usual times. To be awaited before rows start. */
  open(): Promise<void>;
  /** The urgency and the form of a row that starts now. */
  time(row: BatchRow): RowTime;
  /** The fields of a row's place that concern the fallback. */
  mark(row: BatchRow): Pick<RowPlace, 'mayFallBackFrom'>;
  begun(row: BatchRow): void;
  /** The row's workflow runs and can be asked. */
  started(key: string): void;
  /** To be called when rows may have ended. */
  look(): void;
  /** Resolves when none of its work is under way. To be awaited before a history ends. */
  close(): Promise<void>;
  readonly carried: () => { readonly deadline?: CarriedReadyBy };
  readonly status: () => { readonly readyBy?: BatchReadyByStatus };
}

export function openBatchDeadlineMonitor(input: BatchInput, progress: BatchProgress): BatchDeadlineMonitor {
  const { readyBy } = input;
  if (readyBy === undefined) return NO_READY_BY;
  const { at, hasFallback, openByModel: open } = readyBy;
  const atMs = Date.parse(at);
  const carried = input.carried?.deadline;
  const models = Object.keys(open).toSorted();
  const begun: Record<string, number> = { ...carried?.begun };
  const asking: Promise<void>[] = [];
  let slow = carried?.slow ?? {};
  let isLearned = carried !== undefined;
  let pace = carried?.pace ?? NO_PACE;
  let fellBackAt = carried?.fellBackAt ?? null;
  let lookAfterEnds = FIRST_LOOK_ENDS;
  let watching: Promise<void> = Promise.resolve();
  let isClosed = false;

  function remaining(): BatchRemaining {
    return { open, begun, left: progress.figures().left, parallel: input.parallel, slow, pace };
  }
  /** Null if no usual time is known. */
  function lastMoment(): number | null {
    const leftMs = batchLeftMs(remaining());
    return leftMs === null ? null : lastMomentMs(atMs, leftMs);
  }
  /** The last moment is final: rows keep the fallback even if the pace improves. */
  function hasFallenBack(): boolean {
    if (fellBackAt !== null) return true;
    const last = lastMoment();
    if (!hasFallback || last === null || nowMs() < last || nowMs() >= atMs) return false;
    fellBackAt = timestamp(nowMs());
    return true;
  }
  /** Rows of a model without a known time never use the fallback. */
  function isDue(model: string): boolean {
    return slow[model] !== undefined && hasFallenBack();
  }

  const isSettled = (): boolean => isClosed || fellBackAt !== null || nowMs() >= atMs;

  function learn(): Promise<void> {
    lookAfterEnds = Math.max(FIRST_LOOK_ENDS, 2 * progress.figures().ended);
    return learnTimes(models, (times) => {
      slow = times.slow;
      isLearned = true;
    });
  }
  const isNews = (): boolean => untimedModels({ open, slow }).length > 0 && progress.figures().ended >= lookAfterEnds;

  async function watch(): Promise<void> {
    while (!isSettled()) {
      await condition(() => isSettled() || isNews(), waitMs());
      if (isSettled()) break;
      await learn();
      hasFallenBack();
    }
    if (!isClosed && fellBackAt !== null) progress.mayFallBack().forEach(ask);
  }
  /** Waits until halfway to the last moment, so that a change of times or pace is noticed early enough. */
  function waitMs(): number {
    const leftMs = ((hasFallback ? lastMoment() : null) ?? atMs) - nowMs();
    return Math.max(1, leftMs < 2 * LEAST_LOOK_MS ? leftMs : leftMs / 2);
  }
  function ask({ key, mayFallBackFrom, ...place }: RowPlace): void {
    if (mayFallBackFrom === undefined || slow[mayFallBackFrom] === undefined) return;
    const row = getExternalWorkflowHandle(rowWorkflowId(input, { ...place, key }));
    const asked = row.signal(standDownSignal).then(
      () => {
        progress.askedToFallBack(key);
      },
      // The row has ended, or has not started yet and is asked when it starts.
      () => undefined,
    );
    asking.push(asked);
  }

  function warning(): string | null {
    const { left } = progress.figures();
    const leftMs = batchLeftMs(remaining());
    if (left === 0) return null;
    if (nowMs() > atMs) return 'the time has passed';
    if (leftMs !== null && !hasFallback && nowMs() >= lastMomentMs(atMs, leftMs))
      return 'it is late, and its file names no fallback';
    if (leftMs !== null && nowMs() > atMs - leftMs) return 'it may be late';
    const untimed = untimedModels({ open, slow });
    return untimed.length === 0 || !isLearned ? null : `how long tasks of ${untimed.join(', ')} take is not known yet`;
  }

  return {
    async open() {
      if (models.length === 0) return;
      if (carried === undefined) await learn();
      watching = watch().catch((error: unknown) => {
        if (!isCancellation(error)) throw error;
      });
    },
    time(row) {
      if (row.kind === 'production') return { isDue: false };
      const leftMs = batchLeftMs(remaining());
      const urgent = leftMs === null ? {} : { urgentFrom: timestamp(urgentAtMs(atMs, leftMs)) };
      return { ...urgent, isDue: isDue(row.shot.model) };
    },
    mark(row) {
      if (row.kind === 'production' || row.fallback === undefined || isDue(row.shot.model)) return {};
      return { mayFallBackFrom: row.shot.model };
    },
    begun(row) {
      if (row.kind === 'generation') begun[row.shot.model] = (begun[row.shot.model] ?? 0) + 1;
    },
    started(key) {
      if (fellBackAt === null) return;
      progress
        .mayFallBack()
        .filter((place) => place.key === key)
        .forEach(ask);
    },
    look() {
      pace = paceAfter(pace, { ended: progress.figures().ended, atMs: nowMs() }, input.parallel);
    },
    async close() {
      isClosed = true;
      await watching;
      await Promise.all(asking);
    },
    carried: () => ({ deadline: { begun, slow, fellBackAt, byFallback: progress.byFallback(), pace } }),
    status() {
      const leftMs = batchLeftMs(remaining());
      const last = hasFallback && leftMs !== null ? timestamp(lastMomentMs(atMs, leftMs)) : null;
      return {
        readyBy: {
          at,
          urgentFrom: leftMs === null ? null : timestamp(urgentAtMs(atMs, leftMs)),
          lastMoment: fellBackAt ?? last,
          fallback: progress.byFallback(),
          warning: warning(),
        },
      };
    },
  };
}

const NO_READY_BY: BatchDeadlineMonitor = {
  open: () => Promise.resolve(),
  time: () => ({ isDue: false }),
  mark: () => ({}),
  begun: () => undefined,
  started: () => undefined,
  look: () => undefined,
  close: () => Promise.resolve(),
  carried: () => ({}),
  status: () => ({}),
};
