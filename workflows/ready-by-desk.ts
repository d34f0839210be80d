import { ActivityFailure, condition, getExternalWorkflowHandle, isCancellation } from '@temporalio/workflow';
import { shotWorkflowId } from '../contracts/identifiers';
import type { ReadyByStatus } from '../contracts/ready-by';
import type { Revision, ShotOutcome } from '../contracts/workflows';
import { reasonOf } from './activity-failures';
import { decisionActivities } from './activity-options';
import { nowMs, timestamp } from './clock';
import { fallbackRevision } from './fall-back';
import { standDownSignal } from './messages';
import type { ProductionProgress } from './production-progress';
import { openOutlook } from './ready-by-outlook';

/** Usual times are looked up anew after half of the time that is left, and no sooner than this: each look is events. */
const LEAST_LOOK_MS = 5_000;

/**
 * Sees to it that a production is ready by its time. Where its plan names none, it does nothing, not one event.
 *
 * See docs/decisions/0022-ready-by.md.
 */
export interface ReadyByDesk {
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
}

export function openReadyByDesk(
  progress: ProductionProgress,
  { revise, isOver }: { readonly revise: (revision: Revision) => void; readonly isOver: () => boolean },
): ReadyByDesk {
  let isWatching = false;
  let releases = 0;
  /** Grows with what the watch has to look at before its time. */
  let news = 0;
  let trouble: string | null = null;
  const held = new Set<string>();
  /** By shot: the takes that it had when it was started, and its run once that has begun. */
  const started = new Map<string, { readonly takes: ReadonlySet<number>; runId: string | null }>();
  /** Runs that were asked to stand down. */
  const asked = new Set<string>();
  /** By shot, the digest for which the fallback was looked at, and when it was taken; null where it was not. */
  const settled = new Map<string, { readonly digest: string; readonly takenAt: string | null }>();
  const outlook = openOutlook(progress, { takesBefore: (id) => started.get(id)?.takes ?? new Set(), isSettled });

  function isSettled(id: string): boolean {
    const { digest } = progress.input().plan.shots.find((shot) => shot.id === id) ?? {};
    return digest === undefined || settled.get(id)?.digest === digest;
  }
  function isPending(id: string): boolean {
    return progress.standings().get(id)?.state === 'pending';
  }
  function toAsk(id: string): string | undefined {
    const runId = started.get(id)?.runId ?? null;
    return runId === null || asked.has(runId) ? undefined : runId;
  }

  async function learn(): Promise<void> {
    const models = [...new Set(progress.input().plan.shots.map(({ model }) => model))].toSorted();
    try {
      outlook.learned(await decisionActivities('person').lookUpTimes({ models }));
    } catch (error) {
      // What was known before counts on.
      if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    }
  }

  async function watch(): Promise<void> {
    let nextLookMs = nowMs() + lookAfterMs();
    for (let planned = outlook.readyBy(); planned !== undefined && !isOver(); planned = outlook.readyBy()) {
      const { atMs, hasFallback } = planned;
      const seen = news;
      if (hasFallback && nowMs() < atMs && outlook.due(atMs).some((id) => isPending(id) || toAsk(id) !== undefined)) {
        for (const id of outlook.due(atMs).filter(isPending)) held.add(id);
        // By what is known in this moment.
        await learn();
        nextLookMs = nowMs() + lookAfterMs();
        await fallBack(outlook.due(atMs));
      }
      release();
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
  function release(): void {
    if (held.size > 0) releases += 1;
    held.clear();
  }

  /** Those under way are asked to stand down first: only they know whether anything of them was sent. */
  async function fallBack(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const runId = toAsk(id);
      if (runId !== undefined) askToStandDown(id, runId);
    }
    const pending = ids.filter(isPending);
    if (pending.length === 0) return;
    for (const id of pending) held.add(id);
    try {
      const found = await fallbackRevision(progress, pending);
      // Somebody has changed it meanwhile: it is looked at anew. What was noted counts as far as it is of the file yet.
      if (found === undefined || isOver()) return;
      const { shots } = progress.input().plan;
      const lowered = new Map(found.taken.map(({ id, digest }) => [id, digest]));
      const takenAt = timestamp();
      for (const { id, digest } of shots) {
        const low = lowered.get(id);
        if (low !== undefined) settled.set(id, { digest: low, takenAt });
        else if (pending.includes(id)) settled.set(id, { digest, takenAt: settled.get(id)?.takenAt ?? null });
      }
      trouble = null;
      if (found.revision !== undefined) revise(found.revision);
    } catch (error) {
      if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
      trouble = `the fallback could not be noted: ${reasonOf(error)}`;
      for (const { id, digest } of progress.input().plan.shots)
        if (pending.includes(id)) settled.set(id, { digest, takenAt: null });
    }
  }
  function askToStandDown(id: string, runId: string): void {
    asked.add(runId);
    const { storeId, productionId } = progress.input();
    // One that has ended meanwhile needs no telling.
    getExternalWorkflowHandle(shotWorkflowId(storeId, productionId, id), runId)
      .signal(standDownSignal)
      .catch(() => undefined);
  }
  function look(): void {
    news += 1;
    if (isWatching || outlook.readyBy() === undefined) return;
    isWatching = true;
    const ended = (): void => {
      isWatching = false;
      release();
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
      if (outlook.readyBy() === undefined) return;
      const { takes = [] } = progress.status().shots.find((shot) => shot.id === id) ?? {};
      started.set(id, { takes: new Set(takes.map(({ take }) => take)), runId: null });
    },
    shotRuns(id, runId) {
      const run = started.get(id);
      if (run === undefined) return;
      run.runId = runId;
      // It may be late already.
      news += 1;
    },
    shotEnded(id, { stoodDown }) {
      started.delete(id);
      if (stoodDown !== true || !isWatching) return;
      held.add(id);
      news += 1;
    },
    isHeld: (id) => held.has(id),
    isHolding: () => held.size > 0,
    releases: () => releases,
    status() {
      const taken = [...settled].flatMap(([shot, { takenAt }]) =>
        takenAt !== null && isSettled(shot) ? [{ shot, at: takenAt }] : [],
      );
      return outlook.status(taken, trouble);
    },
  };
}
