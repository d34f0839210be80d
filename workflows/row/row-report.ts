import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { RowOutcome } from '../../contracts/batch';
import type { CarriedRow } from '../../contracts/carried-production';
import type { RowOf } from '../../contracts/workflows';
import { reportRowSignal, rowNewsSignal } from '../messages';

/** Where a row of a batch stands, told to its batch as far as that cannot see it by itself. */
export interface RowReport {
  /** That it waits for people, and takes no place in the batch's window. */
  parked(end: RowOutcome): void;
  resumed(): void;
  /** Resolves when the batch knows, or is gone. To be awaited last. */
  ended(end: RowOutcome): Promise<void>;
  /** Whether a later run of the batch has asked since the row was parked: it is meant to go on where that risks nothing. */
  isAskedAnew(): boolean;
  /** Whether all has been told. */
  isQuiet(): boolean;
  /** What the next history of the row takes over. */
  carried(): CarriedRow | null;
}

/**
 * Registers the signal by which a batch asks for the end. To be called before anything is awaited.
 *
 * A batch sees the end of a child that its own history has begun. Only one that began in an earlier history is asked to
 * tell, so that a row costs no signal as a rule. Where the row is of no batch, nothing is told.
 */
export function openRowReport(row: RowOf | undefined, carried?: CarriedRow | null): RowReport {
  if (row === undefined) return SILENT;
  const { key, digest } = row;
  const runId = workflowInfo().firstExecutionRunId;
  let standing: RowOutcome | null = null;
  let lastRun = carried?.lastRun ?? row.renderId;
  let isAskedAnew = false;
  /** Whom to tell the end; null where the batch sees it. */
  let asked = carried?.asked ?? null;
  let [told, due] = [carried?.told ?? 0, carried?.told ?? 0];
  let isTelling = false;

  function tell(): void {
    due += 1;
    if (!isTelling) void CancellationScope.nonCancellable(deliver);
  }
  /** One signal at a time: of two that are under way the later one may arrive first. */
  async function deliver(): Promise<void> {
    isTelling = true;
    while (told < due) {
      const news = { key, digest, runId, news: due, end: standing };
      const batch = getExternalWorkflowHandle(asked ?? row?.batch ?? '');
      // A batch that is gone needs no telling: the next one asks, and the ledger knows.
      await batch.signal(rowNewsSignal, news).catch(() => undefined);
      told = news.news;
    }
    isTelling = false;
  }

  setHandler(reportRowSignal, ({ to, digest: wanted, renderId }) => {
    asked = to;
    isAskedAnew ||= renderId !== lastRun;
    lastRun = renderId;
    if (standing !== null || wanted !== digest) tell();
  });

  return {
    parked(end) {
      standing = end;
      isAskedAnew = false;
      tell();
    },
    resumed() {
      standing = null;
      tell();
    },
    async ended(end) {
      standing = end;
      if (asked !== null) tell();
      await CancellationScope.nonCancellable(() => condition(() => !isTelling));
    },
    isAskedAnew: () => isAskedAnew,
    isQuiet: () => !isTelling,
    carried: () => ({ asked, lastRun, told }),
  };
}

const SILENT: RowReport = {
  parked: () => undefined,
  resumed: () => undefined,
  ended: () => Promise.resolve(),
  isAskedAnew: () => false,
  isQuiet: () => true,
  carried: () => null,
};
