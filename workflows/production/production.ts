import {
  allHandlersFinished,
  CancellationScope,
  condition,
  makeContinueAsNewFunc,
  patched,
  setHandler,
} from '@temporalio/workflow';
import { type ProductionStatus, waitsForPeople } from '../../contracts/status';
import type { ProductionInput, Revision } from '../../contracts/workflows';
import { openBudgetCoordinator } from './budget-coordinator';
import { failure } from '../temporal/fail';
import { type HistoryBounds, openHistoryBound } from '../temporal/history-bound';
import { DeadlineMonitor } from '../deadline/deadline-monitor';
import { archive, finish } from './film';
import { productionStatusQuery, reviseProductionUpdate, revisionObjectionQuery, shotProgressSignal } from '../messages';
import { openNoticeDispatcher } from './notice-dispatcher';
import { ProductionProgress } from '../progress/production-progress';
import { Shots } from './render-shots';
import { objectionTo } from '../progress/revision';
import { notifyParent } from './notify-parent';
import { endOfProduction, isSamePark, parkOfProduction } from '../row/row-end';
import { openRowReport, type RowReport } from '../row/row-report';

/**
 * The next history has a longer workflow task timeout, since a worker on a busy machine needs some seconds to read a
 * large production.
 */
const continueProduction = makeContinueAsNewFunc<typeof production>({ workflowTaskTimeout: '20 seconds' });

/**
 * Renders the shots of a frozen production, with independent chains in parallel, and assembles the clips into a film.
 *
 * A shot that fails holds back only the shots that link to it, directly or not. The production accepts revisions until
 * its end is archived: changed shots are rendered again, and the film is assembled from the chosen takes. Cancellation
 * drains: nothing new is paid for, and paid work is collected.
 *
 * Returns the production's status, which is also archived because Temporal deletes the workflow later. Before the
 * history gets too long, the production continues as new and adopts the running shots.
 */
export async function production(input: ProductionInput, bounds: HistoryBounds = {}): Promise<ProductionStatus> {
  const { carried } = input;
  const progress = new ProductionProgress(input, isChosenKept);
  const workflowScope = CancellationScope.current();
  let finishing: CancellationScope | undefined;
  let hasEnded = false;
  let isWatcherNotified = false;
  const budget = openBudgetCoordinator(progress, carried?.budget, whyClosed);
  const notices = openNoticeDispatcher(progress, carried?.waits);
  const readyBy = new DeadlineMonitor(progress, carried?.readyBy, { revise, isOver: () => whyClosed() !== undefined });
  const report = openRowReport(input.row, carried?.row);
  const bound = openHistoryBound(carried === undefined ? undefined : progress.runs.carried().length, bounds);
  const shots = new Shots(progress, { budget, notices, readyBy, bound, isIdle });

  /** Why the production can no longer be changed; undefined if it can. */
  function whyClosed(): string | undefined {
    if (hasEnded) return 'the production has just ended; render it again';
    return workflowScope.consideredCancelled
      ? 'the production is being cancelled; render it again after that'
      : undefined;
  }
  /** Revises the production synchronously, so that no update is still being handled when the workflow ends. */
  function revise(revision: Revision): readonly string[] {
    const { renewed, unwanted } = progress.revise(revision);
    // Drop the requests of unwanted shots first, so that a raised budget is spent on the new version.
    budget.forget(unwanted);
    shots.cancel(unwanted);
    budget.check();
    readyBy.check();
    finishing?.cancel();
    return renewed;
  }
  function objection(revision: Revision): string | undefined {
    const running = { hasBudget: progress.budget() !== null, earlierTakes: progress.earlierTakes() };
    return whyClosed() ?? objectionTo(revision, { ...progress.input(), ...running });
  }
  function isIdle(): boolean {
    return allHandlersFinished() && [budget, notices, readyBy, report].every((monitor) => monitor.isIdle());
  }
  /**
   * Continues as new. Carries a cancellation over, because it would not reach the next history, which is another
   * execution.
   */
  function nextHistory(): Promise<never> {
    const { watcher, ...same } = progress.input();
    return continueProduction(
      {
        ...same,
        ...(watcher === undefined || isWatcherNotified ? {} : { watcher }),
        carried: {
          ...progress.carried(),
          ...budget.carried(),
          isCancelled: workflowScope.consideredCancelled,
          waits: notices.carried(),
          readyBy: readyBy.carried(),
          row: report.carried(),
        },
      },
      bounds,
    );
  }
  setHandler(revisionObjectionQuery, (revision) => objection(revision) ?? null);
  progress.setReadyBy(() => readyBy.status());
  setHandler(productionStatusQuery, () => progress.wholeStatus());
  setHandler(shotProgressSignal, (shotProgress) => {
    progress.shotProgressed(shotProgress);
    budget.shotProgressed(shotProgress);
  });
  setHandler(reviseProductionUpdate, revise, {
    validator: (revision: Revision) => {
      const reason = objection(revision);
      if (reason !== undefined) throw failure('RevisionRefused', reason);
    },
  });

  if (carried?.isCancelled === true) workflowScope.cancel();
  shots.adopt();
  if (input.watcher !== undefined) {
    void notifyParent(input.watcher, progress).then(() => {
      isWatcherNotified = true;
    });
  }
  if (input.row !== undefined) void CancellationScope.nonCancellable(() => reportWaits(progress, report));
  await budget.open();
  await readyBy.open();
  for (let revisions = -1; revisions !== progress.revisions();) {
    if ((await shots.render()) === 'long') await nextHistory();
    revisions = progress.revisions();
    finishing = new CancellationScope();
    await finishing.run(() => finish(progress));
    if (revisions === progress.revisions()) await archive(progress);
  }
  hasEnded = true;
  await notices.ended();
  await report.ended(endOfProduction(progress.status()));
  return progress.wholeStatus();
}

/** False in histories of versions that dropped a chosen take. */
function isChosenKept(): boolean {
  if (!patched('chosen-take-is-kept')) return false;
  return true;
}

/** False in histories of versions that reported only the first reason of a wait. */
function isOtherReported(): boolean {
  if (!patched('other-wait-is-reported')) return false;
  return true;
}

/**
 * Reports to the row's batch when only people can continue the production, when it waits for another reason, for
 * example for another shot, and when it continues.
 */
async function reportWaits(progress: ProductionProgress, report: RowReport): Promise<never> {
  for (;;) {
    await condition(() => waitsForPeople(progress.status()));
    let told = parkOfProduction(progress.status());
    report.parked(told);
    // The value that `hasChanged` saw last: the status may change again before this function continues.
    const now = { waits: true };
    const hasChanged = (): boolean => {
      now.waits = waitsForPeople(progress.status());
      return !now.waits || !isSamePark(told, parkOfProduction(progress.status()));
    };
    for (;;) {
      await condition(hasChanged);
      if (!now.waits) break;
      told = parkOfProduction(progress.status());
      if (isOtherReported()) report.parked(told);
    }
    if (progress.status().state === 'running') report.resumed();
  }
}
