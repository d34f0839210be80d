import { ActivityFailure, condition, getExternalWorkflowHandle, isCancellation } from '@temporalio/workflow';
import { shotWorkflowId } from '../../contracts/identifiers';
import type { ReadyByStatus } from '../../contracts/ready-by';
import type { CarriedReadyBy } from '../../contracts/carried-production';
import type { Revision, ShotOutcome } from '../../contracts/workflows';
import { reasonOf } from '../temporal/activity-failures';
import { nowMs } from '../temporal/clock';
import { fallbackRevision } from './fall-back';
import { LEAST_LOOK_MS, learnTimes } from './learn-times';
import { standDownSignal } from '../messages';
import type { ProductionProgress } from '../progress/production-progress';
import { openOutlook } from './ready-by-outlook';
import { ReadyByShots } from './ready-by-shots';

/**
 * Keeps a production on its `readyBy`. Without one it does nothing and adds no events.
 *
 * See docs/decisions/0022-ready-by.md.
 */
export interface DeadlineMonitor {
  /** Looks up the usual times. To be awaited before shots start. */
  open(): Promise<void>;
  /** To be called when the production may have another plan. */
  look(): void;
  /** The time from which a shot that starts now is urgent. */
  urgentFrom(): string | undefined;
  shotStarted(shotId: string): void;
  shotRuns(shotId: string, runId: string): void;
  /** To be called before the production takes over the outcome. */
  shotEnded(shotId: string, outcome: ShotOutcome): void;
  /** Whether the shot must not start now, because another version of it is about to come. */
  isHeld(shotId: string): boolean;
  isHolding(): boolean;
  /** Grows whenever shots are released. */
  releases(): number;
  readonly status: () => ReadyByStatus | undefined;
  /** Whether no work is under way that another history of the production would not know of. */
  isQuiet(): boolean;
  /** The state for the production's next history. */
  carried(): CarriedReadyBy;
}

export function openDeadlineMonitor(
  progress: ProductionProgress,
  carried: CarriedReadyBy | undefined,
  { revise, isOver }: { readonly revise: (revision: Revision) => void; readonly isOver: () => boolean },
): DeadlineMonitor {
  let isWatching = false;
  /** Grows when the watch has to look before its time. */
  let news = 0;
  let trouble: string | null = null;
  const shots = new ReadyByShots(progress, carried);
  let delivering = 0;
  const outlook = openOutlook(progress, shots);
  const isPending = (id: string): boolean => shots.isPending(id);
  const mayFallBack = (id: string): boolean => isPending(id) || shots.toAsk(id) !== undefined;

  function learn(): Promise<void> {
    const models = [...new Set(progress.input().plan.shots.map(({ model }) => model))].toSorted();
    return learnTimes(models, outlook.learned);
  }

  async function watch(): Promise<void> {
    let nextLookMs = nowMs() + lookAfterMs();
    for (let planned = outlook.readyBy(); planned !== undefined && !isOver(); planned = outlook.readyBy()) {
      const { atMs, hasFallback } = planned;
      const seen = news;
      if (hasFallback && nowMs() < atMs && outlook.due(atMs).some(mayFallBack)) {
        shots.hold(outlook.due(atMs).filter(isPending));
        // Decide by the latest usual times.
        await learn();
        nextLookMs = nowMs() + lookAfterMs();
        await fallBack(outlook.due(atMs));
      }
      shots.release();
      if (news !== seen) continue;
      if (nowMs() >= atMs) await condition(() => news !== seen);
      else if (nowMs() >= nextLookMs) {
        await learn();
        nextLookMs = nowMs() + lookAfterMs();
      } else {
        const ahead = outlook.moments(atMs).flatMap(([, ms]) => (ms > nowMs() ? [ms] : []));
        const waitMs = Math.max(1, Math.min(nextLookMs, atMs, ...ahead) - nowMs());
        await condition(() => news !== seen, waitMs);
      }
    }
  }
  function lookAfterMs(): number {
    const leftMs = (outlook.readyBy()?.atMs ?? 0) - nowMs();
    return Math.max(LEAST_LOOK_MS, leftMs / 2);
  }

  /**
   * Applies the fallback to pending shots. Shots under way are asked to stand down first, since only they know whether
   * anything was sent.
   */
  async function fallBack(ids: readonly string[]): Promise<void> {
    ids.forEach(askToStandDown);
    const pending = ids.filter(isPending);
    if (pending.length === 0) return;
    shots.hold(pending);
    try {
      const found = await fallbackRevision(progress, pending);
      // The production was revised meanwhile, so look again. What was recorded applies as far as it still fits the
      // file.
      if (found === undefined || isOver()) return;
      shots.settle(pending, found.taken);
      trouble = null;
      if (found.revision !== undefined) revise(found.revision);
    } catch (error) {
      if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
      trouble = `the fallback could not be noted: ${reasonOf(error)}`;
      shots.settleAsWritten(pending);
    }
  }
  function askToStandDown(id: string): void {
    const runId = shots.toAsk(id);
    if (runId === undefined) return;
    shots.asked(runId);
    const { storeId, productionId } = progress.input();
    // A shot that has ended meanwhile need not know.
    delivering += 1;
    void getExternalWorkflowHandle(shotWorkflowId(storeId, productionId, id), runId)
      .signal(standDownSignal)
      .catch(() => undefined)
      .finally(() => {
        delivering -= 1;
      });
  }
  function look(): void {
    news += 1;
    if (isWatching || outlook.readyBy() === undefined) return;
    isWatching = true;
    const ended = (): void => {
      isWatching = false;
      shots.release();
    };
    watch().then(ended, (error: unknown) => {
      ended();
      if (!isCancellation(error)) throw error;
    });
  }

  return {
    async open() {
      if (outlook.readyBy() === undefined) return;
      try {
        await learn();
      } catch (error) {
        // The production is cancelled; no shot starts any more.
        if (!isCancellation(error)) throw error;
        return;
      }
      look();
    },
    look,
    urgentFrom: () => outlook.urgentFrom() ?? undefined,
    shotStarted(id) {
      if (outlook.readyBy() !== undefined) shots.started(id);
    },
    shotRuns(id, runId) {
      // It may already be late.
      if (shots.runs(id, runId)) news += 1;
    },
    shotEnded(id, { stoodDown }) {
      shots.ended(id);
      if (stoodDown !== true || !isWatching) return;
      shots.hold([id]);
      news += 1;
    },
    isHeld: (id) => shots.isHeld(id),
    isHolding: () => shots.isHolding(),
    releases: () => shots.releases(),
    isQuiet: () => delivering === 0 && !shots.isHolding(),
    carried: () => shots.carried(),
    status: () => outlook.status(trouble),
  };
}
