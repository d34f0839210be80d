import { allHandlersFinished, CancellationScope, condition, isCancellation, patched } from '@temporalio/workflow';
import type { PlannedShot } from '../../contracts/plan';
import type { ShotOutcome } from '../../contracts/workflows';
import { adoptShot } from './adopt-shot';
import type { BudgetCoordinator } from './budget-coordinator';
import type { HistoryBound } from '../temporal/history-bound';
import { showProductionDetails } from '../progress/ui-details';
import type { DeadlineMonitor } from '../deadline/deadline-monitor';
import type { NoticeDispatcher } from './notice-dispatcher';
import { blocked, linkedFrames, startable } from '../progress/plan';
import type { ProductionProgress } from '../progress/production-progress';
import { renderShot } from './render-shot';

/** Renders all shots that can start, as many at once as the plan allows, until none is under way. */
export interface Shots {
  /** Takes over the shots that an earlier history left under way. To be called before anything is awaited. */
  adopt(): void;
  /** @returns `long` if the production has to continue in another history. Shots under way keep running. */
  render(): Promise<'ended' | 'long'>;
  /** Drains shots under way that are no longer wanted. */
  cancel(ids: readonly string[]): void;
}

export interface Surroundings {
  readonly budget: BudgetCoordinator;
  readonly notices: NoticeDispatcher;
  readonly readyBy: DeadlineMonitor;
  readonly bound: HistoryBound;
  /** Whether nothing besides shots is under way that another history would not know of. */
  readonly isQuiet: () => boolean;
}

export function openShots(
  progress: ProductionProgress,
  { budget, notices, readyBy, bound, isQuiet }: Surroundings,
): Shots {
  const underWay = new Map<string, CancellationScope>();
  /**
   * Answers an update before any shot that it brings starts, so that commands have the same order in every replay.
   *
   * A worker that takes over the workflow may get an update together with older events, which other workers replay one
   * by one. See docs/decisions/0048-updates-after-a-takeover.md.
   *
   * MAINTENANCE: `patched` is called at the beginning of every history, so that the marker has one place.
   */
  const updatesAnswered = patched('update-is-answered-first')
    ? (): Promise<void> => condition(allHandlersFinished)
    : undefined;
  /** Number of shots that are being asked or whose end is being recorded, which another history would not know of. */
  let unsettled = 0;

  function start(shot: PlannedShot): void {
    const begun = begin(shot);
    follow(shot.id, begun);
  }
  /**
   * Records the start.
   *
   * @returns the function that runs the shot.
   */
  function begin(shot: PlannedShot): () => Promise<ShotOutcome> {
    const { id } = shot;
    const links = linkedFrames(shot, progress.standings());
    const urgentFrom = readyBy.urgentFrom();
    const outlivesHistory = bound.mayEndBefore();
    readyBy.shotStarted(id);
    progress.shotStarted(id);
    return () =>
      renderShot(progress.input(), shot, links, {
        hasBudget: progress.budget() !== null,
        ...(urgentFrom === undefined ? {} : { urgentFrom }),
        outlivesHistory,
        onStarted(runId) {
          progress.shotRuns(id, runId);
          readyBy.shotRuns(id, runId);
          budget.look();
        },
        heardOfOlder: () => progress.heardOfOlder(id),
        onPause(isPaused) {
          progress.shotPauses(id, isPaused);
        },
      });
  }
  function follow(id: string, run: () => Promise<ShotOutcome>): CancellationScope {
    const scope = new CancellationScope();
    underWay.set(id, scope);
    void scope.run(run).then(async (outcome) => {
      unsettled += 1;
      if (progress.budget() !== null) await budget.shotEnded(id, outcome);
      unsettled -= 1;
      underWay.delete(id);
      readyBy.shotEnded(id, outcome);
      progress.shotEnded(id, outcome);
    });
    return scope;
  }
  async function adopted(shotId: string, runId: string): Promise<ShotOutcome> {
    const end = (): ShotOutcome | null => progress.endOfAdopted(shotId);
    const asking = (isAsking: boolean): void => {
      unsettled += isAsking ? 1 : -1;
    };
    const outcome = await adoptShot(progress.input(), { shotId, runId, end, asking });
    return outcome ?? beginAnew(shotId);
  }
  function beginAnew(shotId: string): Promise<ShotOutcome> {
    const planned = progress.input().plan.shots.find(({ id }) => id === shotId);
    const isOver = planned === undefined || CancellationScope.current().consideredCancelled;
    return isOver ? Promise.resolve(NOTHING_MORE) : begin(planned)();
  }

  function mayStart(): readonly PlannedShot[] {
    const { plan } = progress.input();
    // Called for each of thousands of events, and again in replays, so a cheap check comes first.
    if (!progress.hasRoom()) return [];
    const free = plan.shots.filter(({ id }) => !readyBy.isHeld(id));
    return startable({ ...plan, shots: free }, progress.standings());
  }
  function news(): number {
    return progress.changes() + readyBy.releases();
  }
  function isNews(changes: number, isLong: boolean): boolean {
    return news() !== changes || (isLong ? mayEnd() : bound.isToBeAsked());
  }
  function mayEnd(): boolean {
    return unsettled === 0 && progress.areRunsKnown() && isQuiet();
  }
  /** Waits for the ends of cancelled shots. False if the history is too long for that. */
  async function areDrained(): Promise<boolean> {
    for (;;) {
      if (underWay.size === 0) return true;
      const isLong = bound.isReached();
      if (isLong && mayEnd()) return false;
      const changes = news();
      await condition(() => underWay.size === 0 || isNews(changes, isLong));
    }
  }

  return {
    adopt() {
      for (const { shotId, runId, isWanted } of progress.carriedRuns()) {
        const scope = follow(shotId, () => (runId === null ? beginAnew(shotId) : adopted(shotId, runId)));
        if (!isWanted) scope.cancel();
      }
    },
    cancel(ids) {
      for (const id of ids) underWay.get(id)?.cancel();
    },
    async render() {
      let isCancelled = CancellationScope.current().consideredCancelled;
      for (;;) {
        const isLong = bound.isReached();
        const next = isCancelled ? [] : mayStart();
        if (!isLong) next.forEach(start);
        showProductionDetails(progress);
        notices.look();
        const isLeft = !isCancelled && (readyBy.isHolding() || (isLong && next.length > 0));
        if (underWay.size === 0 && !isLeft) break;
        if (isLong && mayEnd()) return 'long';
        const changes = news();
        try {
          await condition(() => isNews(changes, isLong));
          if (updatesAnswered !== undefined) await updatesAnswered();
        } catch (error) {
          if (!isCancellation(error)) throw error;
          isCancelled = true;
          if (!(await CancellationScope.nonCancellable(areDrained))) return 'long';
        }
      }
      if (isCancelled) progress.cancelPending();
      for (const [id, by] of blocked(progress.input().plan, progress.standings())) progress.shotBlocked(id, by);
      return 'ended';
    },
  };
}

/** Outcome of a drained shot whose end was not reported. The ledger has what it paid for. */
const NOTHING_MORE: ShotOutcome = { state: 'cancelled', reason: null, takes: [], filmTake: null };
