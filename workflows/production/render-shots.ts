import { allHandlersFinished, CancellationScope, condition, isCancellation, patched } from '@temporalio/workflow';
import type { PlannedShot } from '../../contracts/render/plan';
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

export interface Surroundings {
  readonly budget: BudgetCoordinator;
  readonly notices: NoticeDispatcher;
  readonly readyBy: DeadlineMonitor;
  readonly bound: HistoryBound;
  /** False while work other than shots is under way: continuing as new would lose it. */
  readonly isIdle: () => boolean;
}

/** Renders all shots that can start, as many at once as the plan allows, until none is under way. */
export class Shots {
  readonly #progress: ProductionProgress;
  readonly #surroundings: Surroundings;
  readonly #underWay = new Map<string, CancellationScope>();
  /**
   * Resolves when all updates are answered. Shots that become startable in an update wait for this, so that commands
   * have the same order in every replay.
   *
   * A worker that takes over the workflow may get an update together with older events. In later replays, the older
   * events come first, in a workflow task of their own. See docs/decisions/0048-updates-after-a-takeover.md.
   *
   * MAINTENANCE: Call `patched` at the beginning of every history, so that its marker is always at the same place.
   */
  readonly #updatesAnswered = patched('update-is-answered-first')
    ? (): Promise<void> => condition(allHandlersFinished)
    : undefined;
  /** Number of unanswered requests to shots, plus shot ends being recorded. Continuing as new would lose them. */
  #unsettled = 0;

  constructor(progress: ProductionProgress, surroundings: Surroundings) {
    this.#progress = progress;
    this.#surroundings = surroundings;
  }

  /** Follows the shots that an earlier history left under way. Call it before the first `await`. */
  adopt(): void {
    for (const { shotId, runId, isWanted } of this.#progress.runs.carried()) {
      const scope = this.#follow(shotId, () =>
        runId === null ? this.#startAgain(shotId) : this.#adopted(shotId, runId),
      );
      if (!isWanted) scope.cancel();
    }
  }

  /** Cancels shots that are no longer wanted: nothing new is paid for, and paid work is collected. */
  cancel(ids: readonly string[]): void {
    for (const id of ids) this.#underWay.get(id)?.cancel();
  }

  /** Renders until no shot is under way. Returns `long` if the production has to continue as new first. */
  async render(): Promise<'ended' | 'long'> {
    const progress = this.#progress;
    const { bound, notices, readyBy } = this.#surroundings;
    let isCancelled = CancellationScope.current().consideredCancelled;
    for (;;) {
      const isLong = bound.isReached();
      const next = isCancelled ? [] : this.#startable();
      if (!isLong) for (const shot of next) this.#start(shot);
      showProductionDetails(progress);
      notices.check();
      const hasMore = !isCancelled && (readyBy.isHolding() || (isLong && next.length > 0));
      if (this.#underWay.size === 0 && !hasMore) break;
      if (isLong && this.#canContinueAsNew()) return 'long';
      const changes = this.#changeCount();
      try {
        await condition(() => this.#hasChanged(changes, isLong));
        if (this.#updatesAnswered !== undefined) await this.#updatesAnswered();
      } catch (error) {
        if (!isCancellation(error)) throw error;
        isCancelled = true;
        if (!(await CancellationScope.nonCancellable(() => this.#areDrained()))) return 'long';
      }
    }
    if (isCancelled) progress.cancelPending();
    for (const [id, by] of blocked(progress.input().plan, progress.facts())) progress.shotBlocked(id, by);
    return 'ended';
  }

  #startable(): readonly PlannedShot[] {
    const { plan } = this.#progress.input();
    // This runs for each of thousands of events, and again in replays, so a cheap check comes first.
    if (!this.#progress.hasRoom()) return [];
    const free = plan.shots.filter(({ id }) => !this.#surroundings.readyBy.isHeld(id));
    return startable({ ...plan, shots: free }, this.#progress.facts());
  }

  #start(shot: PlannedShot): void {
    const begun = this.#recordStart(shot);
    this.#follow(shot.id, begun);
  }

  /** Returns the function that runs the shot. */
  #recordStart(shot: PlannedShot): () => Promise<ShotOutcome> {
    const { id } = shot;
    const progress = this.#progress;
    const { bound, budget, readyBy } = this.#surroundings;
    const links = linkedFrames(shot, progress.facts());
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
          budget.check();
        },
        lastReportOfOlder: () => progress.runs.heardOfOlder(id),
        onPause(isPaused) {
          progress.runs.paused(id, isPaused);
        },
      });
  }

  #follow(id: string, run: () => Promise<ShotOutcome>): CancellationScope {
    const { budget, readyBy } = this.#surroundings;
    const scope = new CancellationScope();
    this.#underWay.set(id, scope);
    void scope.run(run).then(async (outcome) => {
      this.#unsettled += 1;
      if (this.#progress.budget() !== null) await budget.shotEnded(id, outcome);
      this.#unsettled -= 1;
      this.#underWay.delete(id);
      readyBy.shotEnded(id, outcome);
      this.#progress.shotEnded(id, outcome);
    });
    return scope;
  }

  async #adopted(shotId: string, runId: string): Promise<ShotOutcome> {
    const end = (): ShotOutcome | null => this.#progress.runs.endOfAdopted(shotId);
    const onRequest = (isAsking: boolean): void => {
      this.#unsettled += isAsking ? 1 : -1;
    };
    const outcome = await adoptShot(this.#progress.input(), { shotId, runId, end, onRequest });
    return outcome ?? this.#startAgain(shotId);
  }

  #startAgain(shotId: string): Promise<ShotOutcome> {
    const planned = this.#progress.input().plan.shots.find(({ id }) => id === shotId);
    const isOver = planned === undefined || CancellationScope.current().consideredCancelled;
    return isOver ? Promise.resolve(DRAINED) : this.#recordStart(planned)();
  }

  #changeCount(): number {
    return this.#progress.changes() + this.#surroundings.readyBy.releases();
  }

  #hasChanged(changes: number, isLong: boolean): boolean {
    return (
      this.#changeCount() !== changes || (isLong ? this.#canContinueAsNew() : this.#surroundings.bound.isToBeAsked())
    );
  }

  #canContinueAsNew(): boolean {
    return this.#unsettled === 0 && this.#progress.runs.areKnown() && this.#surroundings.isIdle();
  }

  /** Waits for the ends of cancelled shots. False if the history becomes too long first. */
  async #areDrained(): Promise<boolean> {
    for (;;) {
      if (this.#underWay.size === 0) return true;
      const isLong = this.#surroundings.bound.isReached();
      if (isLong && this.#canContinueAsNew()) return false;
      const changes = this.#changeCount();
      await condition(() => this.#underWay.size === 0 || this.#hasChanged(changes, isLong));
    }
  }
}

/** Outcome of an unwanted shot whose workflow did not report its end. The ledger records the shot's paid work. */
const DRAINED: ShotOutcome = { state: 'cancelled', reason: null, takes: [], filmTake: null };
