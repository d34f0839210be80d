import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { PlannedShot } from '../contracts/plan';
import type { BudgetDesk } from './budget-desk';
import { narrateProduction } from './narrate';
import { blocked, linkedFrames, startable } from './plan';
import type { ProductionProgress } from './production-progress';
import { renderShot } from './render-shot';

/** Renders all shots that can be, as many at once as the plan allows, until none is under way. */
export interface Shots {
  render(): Promise<void>;
  /** Has shots drained that are under way and not wanted any more. */
  cancel(ids: readonly string[]): void;
}

export function openShots(progress: ProductionProgress, budget: BudgetDesk): Shots {
  const underWay = new Map<string, CancellationScope>();

  function start(shot: PlannedShot): void {
    const links = linkedFrames(shot, progress.standings());
    const scope = new CancellationScope();
    underWay.set(shot.id, scope);
    progress.shotStarted(shot.id);
    const run = (): ReturnType<typeof renderShot> =>
      renderShot(progress.input(), shot, links, {
        hasBudget: progress.budget() !== null,
        onStarted(runId) {
          progress.shotRuns(shot.id, runId);
          budget.look();
        },
      });
    void scope.run(run).then(async (outcome) => {
      if (progress.budget() !== null) await budget.shotEnded(shot.id, outcome);
      underWay.delete(shot.id);
      progress.shotEnded(shot.id, outcome);
    });
  }

  return {
    cancel(ids) {
      for (const id of ids) underWay.get(id)?.cancel();
    },
    async render() {
      let isCancelled = CancellationScope.current().consideredCancelled;
      for (;;) {
        if (!isCancelled) startable(progress.input().plan, progress.standings()).forEach(start);
        narrateProduction(progress.status());
        if (underWay.size === 0) break;
        const changes = progress.changes();
        try {
          await condition(() => progress.changes() !== changes);
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
