import { ActivityFailure, condition, getExternalWorkflowHandle, isCancellation } from '@temporalio/workflow';
import { shotWorkflowId } from '../../contracts/identifiers';
import type { ReadyByStatus } from '../../contracts/file/ready-by';
import type { CarriedReadyBy } from '../../contracts/render/carried-production';
import type { Revision, ShotOutcome } from '../../contracts/workflows';
import { reasonOf } from '../temporal/activity-failures';
import { nowMs } from '../temporal/clock';
import { fallbackRevision } from './fall-back';
import { LEAST_LOOK_MS, learnTimes } from './learn-times';
import { standDownSignal } from '../messages';
import type { ProductionProgress } from '../progress/production-progress';
import { openOutlook, type Outlook } from './ready-by-outlook';
import { ReadyByShots } from './ready-by-shots';

interface Revisions {
  readonly revise: (revision: Revision) => void;
  /** Whether the production can no longer be revised. */
  readonly isOver: () => boolean;
}

/**
 * Applies a production's `readyBy`: decides when shots become urgent, and makes late shots use the fallback. Without
 * `readyBy` it does nothing and adds no events.
 *
 * See docs/decisions/0022-ready-by.md.
 */
export class DeadlineMonitor {
  readonly #progress: ProductionProgress;
  readonly #revisions: Revisions;
  readonly #shots: ReadyByShots;
  readonly #outlook: Outlook;
  #isWatching = false;
  /** Counts the changes that make `#watch` check at once. */
  #news = 0;
  #trouble: string | null = null;
  #delivering = 0;

  constructor(progress: ProductionProgress, carried: CarriedReadyBy | undefined, revisions: Revisions) {
    this.#progress = progress;
    this.#revisions = revisions;
    this.#shots = new ReadyByShots(progress, carried);
    this.#outlook = openOutlook(progress, this.#shots);
  }

  /** Looks up how long tasks of the production's models usually take. To be awaited before shots start. */
  async open(): Promise<void> {
    if (this.#outlook.readyBy() === undefined) return;
    try {
      await this.#learn();
    } catch (error) {
      // The production is cancelled; no shot starts any more.
      if (!isCancellation(error)) throw error;
      return;
    }
    this.check();
  }

  /** Call it when the production's plan may have changed. */
  check(): void {
    this.#news += 1;
    if (this.#isWatching || this.#outlook.readyBy() === undefined) return;
    this.#isWatching = true;
    const ended = (): void => {
      this.#isWatching = false;
      this.#shots.release();
    };
    this.#watch().then(ended, (error: unknown) => {
      ended();
      if (!isCancellation(error)) throw error;
    });
  }

  /** When a shot that starts now becomes urgent. The time may have passed. Undefined if there is none. */
  urgentFrom(): string | undefined {
    return this.#outlook.urgentFrom() ?? undefined;
  }

  shotStarted(shotId: string): void {
    if (this.#outlook.readyBy() !== undefined) this.#shots.started(shotId);
  }

  shotRuns(shotId: string, runId: string): void {
    // The shot may already be late, so `#watch` checks at once.
    if (this.#shots.runs(shotId, runId)) this.#news += 1;
  }

  /** To be called before the production records the outcome. */
  shotEnded(shotId: string, { stoodDown }: ShotOutcome): void {
    this.#shots.ended(shotId);
    if (stoodDown !== true || !this.#isWatching) return;
    this.#shots.hold([shotId]);
    this.#news += 1;
  }

  /** Whether the shot must not start now, because the fallback may replace it at any moment. */
  isHeld(shotId: string): boolean {
    return this.#shots.isHeld(shotId);
  }

  isHolding(): boolean {
    return this.#shots.isHolding();
  }

  /** Grows whenever shots are released. */
  releases(): number {
    return this.#shots.releases();
  }

  status(): ReadyByStatus | undefined {
    return this.#outlook.status(this.#trouble);
  }

  /** False while work is under way that continuing as new would lose. */
  isIdle(): boolean {
    return this.#delivering === 0 && !this.#shots.isHolding();
  }

  /** The state for the production's next history. */
  carried(): CarriedReadyBy {
    return this.#shots.carried();
  }

  #learn(): Promise<void> {
    const models = [...new Set(this.#progress.input().plan.shots.map(({ model }) => model))].toSorted();
    return learnTimes(models, this.#outlook.learned);
  }

  async #watch(): Promise<void> {
    const outlook = this.#outlook;
    let nextLookMs = nowMs() + this.#lookAfterMs();
    for (
      let planned = outlook.readyBy();
      planned !== undefined && !this.#revisions.isOver();
      planned = outlook.readyBy()
    ) {
      const { atMs, hasFallback } = planned;
      const seen = this.#news;
      if (hasFallback && nowMs() < atMs && outlook.due(atMs).some((id) => this.#mayFallBack(id))) {
        this.#shots.hold(this.#pending(outlook.due(atMs)));
        // Decide with up-to-date task times.
        await this.#learn();
        nextLookMs = nowMs() + this.#lookAfterMs();
        await this.#fallBack(outlook.due(atMs));
      }
      this.#shots.release();
      if (this.#news !== seen) continue;
      if (nowMs() >= atMs) await condition(() => this.#news !== seen);
      else if (nowMs() >= nextLookMs) {
        await this.#learn();
        nextLookMs = nowMs() + this.#lookAfterMs();
      } else {
        const ahead = outlook.moments(atMs).flatMap(([, ms]) => (ms > nowMs() ? [ms] : []));
        const waitMs = Math.max(1, Math.min(nextLookMs, atMs, ...ahead) - nowMs());
        await condition(() => this.#news !== seen, waitMs);
      }
    }
  }

  #lookAfterMs(): number {
    const leftMs = (this.#outlook.readyBy()?.atMs ?? 0) - nowMs();
    return Math.max(LEAST_LOOK_MS, leftMs / 2);
  }

  #mayFallBack(id: string): boolean {
    return this.#shots.isPending(id) || this.#shots.toAsk(id) !== undefined;
  }

  #pending(ids: readonly string[]): readonly string[] {
    return ids.filter((id) => this.#shots.isPending(id));
  }

  /**
   * Applies the fallback to pending shots, and asks shots under way to stand down. An asked shot ends if it has sent
   * nothing, which only the shot knows. The fallback then applies to it.
   */
  async #fallBack(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#askToStandDown(id);
    const pending = this.#pending(ids);
    if (pending.length === 0) return;
    this.#shots.hold(pending);
    try {
      const found = await fallbackRevision(this.#progress, pending);
      // If the production was revised meanwhile, `#watch` checks again.
      if (found === undefined || this.#revisions.isOver()) return;
      this.#shots.settle(pending, found.taken);
      this.#trouble = null;
      if (found.revision !== undefined) this.#revisions.revise(found.revision);
    } catch (error) {
      if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
      this.#trouble = `the fallback could not be recorded: ${reasonOf(error)}`;
      this.#shots.settleAsWritten(pending);
    }
  }

  #askToStandDown(id: string): void {
    const runId = this.#shots.toAsk(id);
    if (runId === undefined) return;
    this.#shots.asked(runId);
    const { storeId, productionId } = this.#progress.input();
    this.#delivering += 1;
    void getExternalWorkflowHandle(shotWorkflowId(storeId, productionId, id), runId)
      .signal(standDownSignal)
      // A shot that has ended meanwhile does not need the request.
      .catch(() => undefined)
      .finally(() => {
        this.#delivering -= 1;
      });
  }
}
