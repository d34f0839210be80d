import {
  allHandlersFinished,
  CancellationScope,
  condition,
  makeContinueAsNewFunc,
  setHandler,
} from '@temporalio/workflow';
import { type ProductionStatus, waitsForPeople } from '../../contracts/status';
import type { ProductionInput, Revision } from '../../contracts/workflows';
import { openBudgetCoordinator } from './budget-coordinator';
import { failure } from '../temporal/fail';
import { type HistoryBounds, openHistoryBound } from '../temporal/history-bound';
import { openDeadlineMonitor } from '../deadline/deadline-monitor';
import { archive, finish } from './film';
import { productionStatusQuery, reviseProductionUpdate, revisionObjectionQuery, shotProgressSignal } from '../messages';
import { openNoticeDispatcher } from './notice-dispatcher';
import { ProductionProgress } from '../progress/production-progress';
import { openShots } from './render-shots';
import { objectionTo } from '../progress/revision';
import { notifyParent } from './notify-parent';
import { endOfProduction, parkOfProduction } from '../row/row-end';
import { openRowReport, type RowReport } from '../row/row-report';

/** A production that is this large takes a worker longer to read, and a busy machine longer still. */
const goOnAsNew = makeContinueAsNewFunc<typeof production>({ workflowTaskTimeout: '20 seconds' });

/**
 * A film from its frozen plan: renders the shots, independent chains side by side, and assembles what they left.
 *
 * A shot that fails holds back only what starts on its frames. Until its end is archived another version of it may come:
 * then what that changes is rendered anew, and the film assembled of what stands. Cancellation drains: nothing new is
 * paid for, what is paid for is collected. It ends with its status, which is also archived for the time after Temporal
 * forgets. Before its history is too long it goes on in another one, and its shots go on meanwhile.
 */
export async function production(input: ProductionInput, bounds: HistoryBounds = {}): Promise<ProductionStatus> {
  const { carried } = input;
  const progress = new ProductionProgress(input);
  const whole = CancellationScope.current();
  let finishing: CancellationScope | undefined;
  let hasEnded = false;
  let isWatcherTold = false;
  const budget = openBudgetCoordinator(progress, carried?.budget, tooLate);
  const notices = openNoticeDispatcher(progress, carried?.waits);
  const readyBy = openDeadlineMonitor(progress, carried?.readyBy, { revise, isOver: () => tooLate() !== undefined });
  const report = openRowReport(input.row, carried?.row);
  const bound = openHistoryBound(carried === undefined ? undefined : progress.carriedRuns().length, bounds);
  const shots = openShots(progress, { budget, notices, readyBy, bound, isQuiet });

  /** Why it can be changed no more. */
  function tooLate(): string | undefined {
    if (hasEnded) return 'the production has just ended; render it again';
    return whole.consideredCancelled ? 'the production is being cancelled; render it again after that' : undefined;
  }
  /** In one piece: nothing of it can be left over when the workflow ends. */
  function revise(revision: Revision): readonly string[] {
    const { renewed, unwanted } = progress.revise(revision);
    // First of all: a budget that is raised is for what is wanted now.
    budget.forget(unwanted);
    shots.cancel(unwanted);
    budget.look();
    readyBy.look();
    finishing?.cancel();
    return renewed;
  }
  function objection(revision: Revision): string | undefined {
    const running = { hasBudget: progress.budget() !== null, earlierTakes: progress.earlierTakes() };
    return tooLate() ?? objectionTo(revision, { ...progress.input(), ...running });
  }
  function isQuiet(): boolean {
    return allHandlersFinished() && [budget, notices, readyBy, report].every((monitor) => monitor.isQuiet());
  }
  /** From here on no cancellation would be heard, and the next history is another execution. */
  function goOn(): Promise<never> {
    const { watcher, ...same } = progress.input();
    return goOnAsNew(
      {
        ...same,
        ...(watcher === undefined || isWatcherTold ? {} : { watcher }),
        carried: {
          ...progress.carried(),
          ...budget.carried(),
          isCancelled: whole.consideredCancelled,
          waits: notices.carried(),
          readyBy: readyBy.carried(),
          row: report.carried(),
        },
      },
      bounds,
    );
  }
  setHandler(revisionObjectionQuery, (revision) => objection(revision) ?? null);
  progress.readyByIs(readyBy.status);
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

  if (carried?.isCancelled === true) whole.cancel();
  shots.adopt();
  if (input.watcher !== undefined) {
    void notifyParent(input.watcher, progress).then(() => {
      isWatcherTold = true;
    });
  }
  if (input.row !== undefined) void CancellationScope.nonCancellable(() => tellWaiting(progress, report));
  await budget.open();
  await readyBy.open();
  for (let revisions = -1; revisions !== progress.revisions();) {
    if ((await shots.render()) === 'long') await goOn();
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

/** Has the batch that the production is a row of know when nothing but people can go on, and when it goes on. */
async function tellWaiting(progress: ProductionProgress, report: RowReport): Promise<never> {
  for (;;) {
    await condition(() => waitsForPeople(progress.status()));
    report.parked(parkOfProduction(progress.status()));
    await condition(() => !waitsForPeople(progress.status()));
    if (progress.status().state === 'running') report.resumed();
  }
}
