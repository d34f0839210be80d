import type { KnownTimes } from '../../contracts/activities';
import type { ReadyByStatus } from '../../contracts/file/ready-by';
import { nowMs, timestamp } from '../temporal/clock';
import type { ProductionProgress } from '../progress/production-progress';
import type { ReadyByShots } from './ready-by-shots';
import { untimedModels, warningOf } from './ready-by-rules';
import { lastMomentsMs, type Remaining, remainingOf, urgentFromMs } from './time-left';

/** The production's present deadline, `readyBy`. */
export interface ReadyBy {
  readonly at: string;
  readonly atMs: number;
  readonly hasFallback: boolean;
}

/** Computes a production's progress towards its `readyBy`. Changes neither the production nor its shots. */
export interface Outlook {
  /** Undefined if the plan has no `readyBy`. */
  readyBy(): ReadyBy | undefined;
  /** Sets the usual times of the models' tasks, and the account's limits. */
  readonly learned: (times: KnownTimes) => void;
  /**
   * The last moment of each video shot that can still use the fallback: the latest time to start the shot without the
   * fallback and have the film ready by `atMs`. Omits shots whose last moment is unknown.
   */
  moments(atMs: number): readonly (readonly [shotId: string, ms: number])[];
  /** The shots of `moments` whose last moment has come. */
  due(atMs: number): readonly string[];
  /** The time from which the shots' leases are urgent; null if unknown, without `readyBy`, or if no shot is open. */
  urgentFrom(): string | null;
  /** Undefined without `readyBy`. @param trouble the reason why a fallback was not applied; null if there is none. */
  status(trouble: string | null): ReadyByStatus | undefined;
}

export function openOutlook(progress: ProductionProgress, shots: ReadyByShots): Outlook {
  let known: KnownTimes = { slow: {}, limits: { account: {}, models: {} } };
  let isLearned = false;

  function readyBy(): ReadyBy | undefined {
    const { at, fallback } = progress.input().plan.readyBy ?? {};
    return at === undefined ? undefined : { at, atMs: Date.parse(at), hasFallback: fallback !== undefined };
  }
  function remaining(): Remaining {
    const takesBefore = (id: string): ReadonlySet<number> => shots.takesBefore(id);
    return remainingOf(progress.input().plan, progress.status().shots, { ...known, takesBefore });
  }
  function moments(atMs: number): readonly (readonly [string, number])[] {
    const now = remaining();
    const videos = new Set(now.plan.shots.flatMap(({ id, output }) => (output === 'video' ? [id] : [])));
    return [...lastMomentsMs(atMs, now)].flatMap(([id, ms]) =>
      ms !== null && videos.has(id) && !shots.isSettled(id) ? [[id, ms] as const] : [],
    );
  }
  function urgentFrom(): string | null {
    const planned = readyBy();
    const ms = planned === undefined ? null : urgentFromMs(planned.atMs, remaining());
    return ms === null ? null : timestamp(ms);
  }

  /** Why the production may not be ready in time, or was late; null if there is no such reason. */
  function warning({ atMs, hasFallback }: ReadyBy): string | null {
    const { endedAt } = progress.status();
    const lateMs = endedAt === null ? 0 : Date.parse(endedAt) - atMs;
    if (lateMs > 0) return `it ended ${Math.ceil(lateMs / 1_000)} s late`;
    const now = remaining();
    const last = lastMomentsMs(atMs, now);
    const late = dueBy(nowMs(), last);
    const overdue = dueBy(nowMs(), lastMomentsMs(atMs, now, { margin: false })).filter((id) => shots.isSettled(id));
    const unknown = now.plan.shots.filter(({ id }) => last.get(id) === null);
    const models = new Set(unknown.map(({ model }) => model));
    return warningOf({
      nowMs: nowMs(),
      atMs,
      isOpen: now.open.size > 0,
      hasFallback,
      late: late.length === 0 ? null : late,
      overdue: overdue.length === 0 ? null : overdue,
      untimed: isLearned ? untimedModels(models, known.slow) : [],
    });
  }

  return {
    readyBy,
    moments,
    urgentFrom,
    learned(times) {
      known = times;
      isLearned = true;
    },
    due: (atMs) => moments(atMs).flatMap(([id, ms]) => (ms <= nowMs() ? [id] : [])),
    status(trouble) {
      const planned = readyBy();
      if (planned === undefined) return undefined;
      const { at, atMs, hasFallback } = planned;
      const last = hasFallback ? moments(atMs).map(([, ms]) => ms) : [];
      const told = [warning(planned), trouble].filter((one) => one !== null);
      return {
        at,
        urgentFrom: urgentFrom(),
        lastMoment: last.length === 0 ? null : timestamp(Math.min(...last)),
        fallback: shots.taken(),
        warning: told.length === 0 ? null : told.join('; '),
      };
    },
  };
}

/** The shots whose last moment is not later than `ms`. */
function dueBy(ms: number, moments: ReadonlyMap<string, number | null>): readonly string[] {
  return [...moments].flatMap(([id, last]) => (last !== null && last <= ms ? [id] : []));
}
