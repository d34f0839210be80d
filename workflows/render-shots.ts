import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { PlannedShot } from '../contracts/plan';
import type { BudgetDesk } from './budget-desk';
import { narrateProduction } from './narrate';
import type { ReadyByDesk } from './ready-by-desk';
import type { NoticeDesk } from './notice-desk';
import { blocked, linkedFrames, startable } from './plan';
import type { ProductionProgress } from './production-progress';
import { renderShot } from './render-shot';

/** Renders all shots that can be, as many at once as the plan allows, until none is under way. */
export interface Shots {
  render(): Promise<void>;
  /** Has shots drained that are under way and not wanted any more. */
  cancel(ids: readonly string[]): void;
}

export interface Desks {
  readonly budget: BudgetDesk;
  readonly notices: NoticeDesk;
  readonly readyBy: ReadyByDesk;
}

export function openShots(progress: ProductionProgress, { budget, notices, readyBy }: Desks): Shots {
  const underWay = new Map<string, CancellationScope>();

  function start(shot: PlannedShot): void {
    const links = linkedFrames(shot, progress.standings());
    const scope = new CancellationScope();
    underWay.set(shot.id, scope);
    const urgentFrom = readyBy.urgentFrom();
    readyBy.shotStarted(shot.id);
    progress.shotStarted(shot.id);
    const run = (): ReturnType<typeof renderShot> =>
      renderShot(progress.input(), shot, links, {
        hasBudget: progress.budget() !== null,
        ...(urgentFrom === undefined ? {} : { urgentFrom }),
        onStarted(runId) {
          progress.shotRuns(shot.id, runId);
          readyBy.shotRuns(shot.id, runId);
          budget.look();
        },
        heardOfOlder: () => progress.heardOfOlder(shot.id),
      });
    void scope.run(run).then(async (outcome) => {
      if (progress.budget() !== null) await budget.shotEnded(shot.id, outcome);
      underWay.delete(shot.id);
      readyBy.shotEnded(shot.id, outcome);
      progress.shotEnded(shot.id, outcome);
    });
  }

  function news(): number {
    return progress.changes() + readyBy.releases();
  }

  return {
    cancel(ids) {
      for (const id of ids) underWay.get(id)?.cancel();
    },
    async render() {
      let isCancelled = CancellationScope.current().consideredCancelled;
      for (;;) {
        const { plan } = progress.input();
        const free = plan.shots.filter(({ id }) => !readyBy.isHeld(id));
        if (!isCancelled) startable({ ...plan, shots: free }, progress.standings()).forEach(start);
        narrateProduction(progress.status());
        notices.look();
        if (underWay.size === 0 && (isCancelled || !readyBy.isHolding())) break;
        const changes = news();
        try {
          await condition(() => news() !== changes);
        } catch (error) {
          if (!isCancellation(error)) throw error;
          isCancelled = true;
          await CancellationScope.nonCancellable(() => condition(() => underWay.size === 0));
        }
      }
      if (isCancelled) progress.cancelPending();
      for (const [id, by] of blocked(progress.input().plan, progress.standings())) progress.shotBlocked(id, by);
    },
  };
}
