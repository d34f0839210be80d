import { ActivityFailure, condition, getExternalWorkflowHandle, isCancellation } from '@temporalio/workflow';
import { shotWorkflowId } from '../contracts/identifiers';
import type { KnownTimes } from '../contracts/activities';
import type { ReadyByStatus } from '../contracts/ready-by';
import type { Revision, ShotOutcome } from '../contracts/workflows';
import { reasonOf } from './activity-failures';
import { decisionActivities } from './activity-options';
import { fallbackRevision } from './fall-back';
import { standDownSignal } from './messages';
import type { ProductionProgress } from './production-progress';
import { lastMomentsMs, type Remaining, remainingOf, urgentFromMs } from './time-left';

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
  let known: KnownTimes = { slow: {}, limits: { account: {}, models: {} } };
  let isLearned = false;
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

  function readyBy(): { readonly atMs: number; readonly at: string; readonly hasFallback: boolean } | undefined {
    const { at, fallback } = progress.input().plan.readyBy ?? {};
    return at === undefined ? undefined : { at, atMs: Date.parse(at), hasFallback: fallback !== undefined };
  }
  function remaining(): Remaining {
    const takesBefore = (id: string): ReadonlySet<number> => started.get(id)?.takes ?? new Set();
    return remainingOf(progress.input().plan, progress.status().shots, { ...known, takesBefore });
  }
  function isSettled(id: string): boolean {
    const { digest } = progress.input().plan.shots.find((shot) => shot.id === id) ?? {};
    return digest === undefined || settled.get(id)?.digest === digest;
  }
  /** When each shot is to take the fallback that may yet, where that is known. */
  function moments(atMs: number): readonly (readonly [string, number])[] {
    const now = remaining();
    const videos = new Set(now.plan.shots.flatMap(({ id, output }) => (output === 'video' ? [id] : [])));
    return [...lastMomentsMs(atMs, now)].flatMap(([id, ms]) =>
      ms !== null && videos.has(id) && !isSettled(id) ? [[id, ms] as const] : [],
    );
  }
  function due(atMs: number): readonly string[] {
    return moments(atMs).flatMap(([id, ms]) => (ms <= nowMs() ? [id] : []));
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
      known = await decisionActivities('person').lookUpTimes({ models });
      isLearned = true;
    } catch (error) {
      // What was known before counts on.
      if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    }
  }

  async function watch(): Promise<void> {
    let nextLookMs = nowMs() + lookAfterMs();
    for (let planned = readyBy(); planned !== undefined && !isOver(); planned = readyBy()) {
      const { atMs, hasFallback } = planned;
      const seen = news;
      if (hasFallback && nowMs() < atMs && due(atMs).some((id) => isPending(id) || toAsk(id) !== undefined)) {
        for (const id of due(atMs).filter(isPending)) held.add(id);
        // By what is known in this moment.
        await learn();
        nextLookMs = nowMs() + lookAfterMs();
        await fallBack(due(atMs));
      }
      release();
      if (news !== seen) continue;
      if (nowMs() >= atMs) await condition(() => news !== seen);
      else if (nowMs() >= nextLookMs) {
        await learn();
        nextLookMs = nowMs() + lookAfterMs();
      } else {
        const ahead = moments(atMs).flatMap(([, ms]) => (ms > nowMs() ? [ms] : []));
        const waitMs = Math.max(1, Math.min(nextLookMs, atMs, ...ahead) - nowMs());
        await condition(() => news !== seen, waitMs);
      }
    }
  }
  function lookAfterMs(): number {
    const leftMs = (readyBy()?.atMs ?? 0) - nowMs();
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
      const takenAt = new Date().toISOString();
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
    if (isWatching || readyBy() === undefined) return;
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

  /** Why it may not be ready in time, where nothing is done about it. */
  function warning(atMs: number, hasFallback: boolean): string | null {
    const { endedAt } = progress.status();
    const lateMs = endedAt === null ? 0 : Date.parse(endedAt) - atMs;
    if (lateMs > 0) return `it ended ${Math.ceil(lateMs / 1_000)} s late`;
    const now = remaining();
    if (nowMs() > atMs) return now.open.size > 0 ? 'the time has passed' : null;
    const last = [...lastMomentsMs(atMs, now)];
    const late = last.flatMap(([id, ms]) => (ms !== null && ms <= nowMs() ? [id] : []));
    if (late.length > 0 && !hasFallback) return `it is late, and its file names no fallback: ${late.join(', ')}`;
    const stays = [...lastMomentsMs(atMs, now, { margin: false })].flatMap(([id, ms]) =>
      ms !== null && ms <= nowMs() && isSettled(id) ? [id] : [],
    );
    if (stays.length > 0) return `it may be late: ${stays.join(', ')}`;
    const unknown = new Set(last.flatMap(([id, ms]) => (ms === null ? [id] : [])));
    const models = new Set(now.plan.shots.flatMap(({ id, model }) => (unknown.has(id) ? [model] : [])));
    const untimed = [...models].filter((model) => known.slow[model] === undefined);
    return untimed.length === 0 || !isLearned ? null : `how long tasks of ${untimed.join(', ')} take is not known yet`;
  }

  return {
    async open() {
      if (readyBy() === undefined) return;
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
    urgentFrom() {
      const planned = readyBy();
      const ms = planned === undefined ? null : urgentFromMs(planned.atMs, remaining());
      return ms === null ? undefined : new Date(ms).toISOString();
    },
    shotStarted(id) {
      if (readyBy() === undefined) return;
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
      const planned = readyBy();
      if (planned === undefined) return undefined;
      const { at, atMs, hasFallback } = planned;
      const last = hasFallback ? moments(atMs).map(([, ms]) => ms) : [];
      const fromMs = urgentFromMs(atMs, remaining());
      const told = [warning(atMs, hasFallback), trouble].filter((one) => one !== null);
      return {
        at,
        urgentFrom: fromMs === null ? null : new Date(fromMs).toISOString(),
        lastMoment: last.length === 0 ? null : new Date(Math.min(...last)).toISOString(),
        fallback: [...settled].flatMap(([shot, { takenAt }]) =>
          takenAt !== null && isSettled(shot) ? [{ shot, at: takenAt }] : [],
        ),
        warning: told.length === 0 ? null : told.join('; '),
      };
    },
  };
}

/** By the workflow's clock, so that a replay gives the same; timers see to it that it moves on. */
function nowMs(): number {
  return Date.now();
}
