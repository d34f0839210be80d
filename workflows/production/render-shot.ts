import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  patched,
  sleep,
  startChild,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { LinkedFrame } from '../../contracts/activities';
import { shotWorkflowId } from '../../contracts/identifiers';
import type { PlannedShot } from '../../contracts/render/plan';
import type { ProductionInput, ShotInput, ShotOutcome, ShotProgress } from '../../contracts/workflows';
import { reportProgressSignal } from '../messages';
import { shot } from '../shot/shot';
import { withSearchAttributes } from '../temporal/search-attributes';

/**
 * Intervals between checks whether an older run of the shot has ended. The intervals grow: each check adds about ten
 * events, and people may leave the run waiting for weeks.
 *
 * Each report of the older run resets the interval, so long intervals only delay the discovery of a terminated run.
 */
const FIRST_CHECK_MS = 2_000;
const LONGEST_CHECK_MS = 12 * 60 * 60_000;

export interface ShotRun {
  /** Whether the shot needs a permit before it sends anything. */
  readonly hasBudget: boolean;
  /** The time from which the shot is urgent, ISO 8601; absent if there is none. */
  readonly urgentFrom?: string;
  /** Called with the child's run id when the child has started. */
  readonly onStarted: (runId: string) => void;
  /** The last report of an older run that has to end first; null if there was none. */
  readonly lastReportOfOlder: () => ShotProgress | null;
  /** Called with true before each wait for an older run, and with false after the wait. */
  readonly onPause: (isPaused: boolean) => void;
  /** Whether the shot keeps running when the production continues as new. */
  readonly outlivesHistory: boolean;
}

/**
 * Runs a shot as a child workflow and returns its outcome.
 *
 * An older run of the same shot may still exist, for example after a reset of its production. The older run has to end
 * first. A cancellation during this wait cancels the older run. The new run finds the older run's paid work in the
 * ledger.
 */
export async function renderShot(
  production: ProductionInput,
  planned: PlannedShot,
  links: readonly LinkedFrame[],
  run: ShotRun,
): Promise<ShotOutcome> {
  try {
    let older: OlderRun | undefined;
    for (;;) {
      try {
        return await startAndWait(production, planned, links, run);
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        older ??= openOlderRun(production, planned, run);
        await older.wait();
      }
    }
  } catch (error) {
    if (isCancellation(error)) return { ...NOTHING, state: 'cancelled', reason: null };
    if (!(error instanceof ChildWorkflowFailure)) throw error;
    return { ...NOTHING, state: 'failed', reason: error.cause?.message ?? error.message };
  }
}

const NOTHING = { takes: [], filmTake: null };

interface OlderRun {
  /** Waits until the older run reports or the next check is due. A cancellation cancels the older run. */
  wait(): Promise<void>;
}

function openOlderRun(
  { storeId, productionId }: ProductionInput,
  { id }: PlannedShot,
  { lastReportOfOlder, onPause }: ShotRun,
): OlderRun {
  const older = getExternalWorkflowHandle(shotWorkflowId(storeId, productionId, id));
  // The older run may end at any time. Calls to it then fail.
  const ignoringFailure = (telling: Promise<void>): Promise<void> => telling.catch(() => undefined);
  let isAsked = false;
  let waitMs = FIRST_CHECK_MS;
  /**
   * The last report before the present check. A report during the check ends the next wait at once, because it may be
   * the run's last.
   */
  let lastSeen = lastReportOfOlder();

  async function pause(): Promise<void> {
    let isNews = false;
    onPause(true);
    try {
      if (!patched('older-run-is-heard-of')) await sleep(waitMs);
      else isNews = await condition(() => lastReportOfOlder() !== lastSeen, waitMs);
    } finally {
      onPause(false);
    }
    lastSeen = lastReportOfOlder();
    waitMs = isNews ? FIRST_CHECK_MS : Math.min(waitMs * 2, LONGEST_CHECK_MS);
  }
  return {
    async wait() {
      try {
        if (!isAsked) await ignoringFailure(older.signal(reportProgressSignal));
        isAsked = true;
        await pause();
      } catch (error) {
        if (isCancellation(error)) await CancellationScope.nonCancellable(() => ignoringFailure(older.cancel()));
        throw error;
      }
    },
  };
}

async function startAndWait(
  { productionId, storeId, production, plan, renderId, searchable, row }: ProductionInput,
  { id, model, output, ...rules }: PlannedShot,
  links: readonly LinkedFrame[],
  { hasBudget, urgentFrom, onStarted, outlivesHistory }: ShotRun,
): Promise<ShotOutcome> {
  const input: ShotInput = {
    task: {
      productionId,
      production,
      shotId: id,
      links,
      renderId,
      attempt: 1,
      sibling: 0,
      turn: {
        priority: plan.priority ?? 'normal',
        ...(urgentFrom === undefined ? {} : { urgentFrom }),
        deadlineSeconds: rules.deadlineSeconds,
        ...(row?.batchId === undefined ? {} : { group: row.batchId }),
      },
      ...(hasBudget ? { permit: null } : {}),
    },
    model,
    output,
    mode: rules.mode ?? 'submit',
    deadlineSeconds: rules.deadlineSeconds,
    onUnclear: rules.onUnclear,
    retryFailed: rules.retryFailed,
    onFailure: rules.onFailure,
    takes: rules.takes,
    review: rules.review,
    directed: rules.directed,
    searchable,
  };
  const child = await startChild(shot, {
    workflowId: shotWorkflowId(storeId, productionId, id),
    args: [input],
    staticSummary: `${id} (${model})`,
    parentClosePolicy: outlivesHistory ? ParentClosePolicy.ABANDON : ParentClosePolicy.REQUEST_CANCEL,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    workflowTaskTimeout: '5 seconds',
    ...withSearchAttributes({ productionId, model, searchable }),
  });
  onStarted(child.firstExecutionRunId);
  return child.result();
}
