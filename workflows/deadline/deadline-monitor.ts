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
 * Sees to it that a production is ready by its time. Where its plan names none, it does nothing, not one event.
 *
 * See docs/decisions/0022-ready-by.md.
 */
export interface DeadlineMonitor {
  /** Learns what usual times are known. To be awaited before shots start. */
  open(): Promise<void>;
  /** The production may go by another plan now. */
  look(): void;
  /** From when on a shot that starts now is urgent. */
  urgentFrom(): string | undefined;
  shotStarted(shotId: string): void;
  shotRuns(shotId: string, runId: string): void;
  /** To be told before the production takes the outcome over. */
  shotEnded(shotId: string, outcome: ShotOutcome): void;
  /** Whether the shot is not to start now: another version of it is about to come. */
  isHeld(shotId: string): boolean;
  isHolding(): boolean;
  /** Grows whenever a shot is held no more. */
  releases(): number;
  readonly status: () => ReadyByStatus | undefined;
  /** Whether it does nothing that another history of the production would not know of. */
  isQuiet(): boolean;
  /** What the next history of the production takes over. */
  carried(): CarriedReadyBy;
}

export function openDeadlineMonitor(
  progress: ProductionProgress,
  carried: CarriedReadyBy | undefined,
  { revise, isOver }: { readonly revise: (revision: Revision) => void; readonly isOver: () => boolean },
): DeadlineMonitor {
  let isWatching = false;
  /** Grows with what the watch has to look at before its time. */
  let news = 0;
  let trouble: string | null = null;
  const shots = new ReadyByShots(progress, carried);
  /** Signals that are being delivered. */
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
        // By what is known in this moment.
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

  /** Those under way are asked to stand down first: only they know whether anything of them was sent. */
  async function fallBack(ids: readonly string[]): Promise<void> {
    ids.forEach(askToStandDown);
    const pending = ids.filter(isPending);
    if (pending.length === 0) return;
    shots.hold(pending);
    try {
      const found = await fallbackRevision(progress, pending);
      // Somebody has changed it meanwhile: it is looked at anew. What was noted counts as far as it is of the file yet.
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
    // One that has ended meanwhile needs no telling.
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
        // Nothing starts any more.
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
      // It may be late already.
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
