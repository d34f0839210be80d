import { type ScheduleDescription } from '@temporalio/client';
import { type NumberedVersion } from './schedule-records';
import { type RunView } from './list-runs';
import { type Timing } from './timing';

/** A schedule as `show` tells it. */
export interface ScheduleView {
  readonly schedule: string;
  /** `unknown`: Temporal was not asked, or does not know it. */
  readonly state: 'active' | 'paused' | 'unknown';
  readonly note: string | null;
  readonly timing: Timing;
  /** Null if Temporal does not tell. */
  readonly catchUpSeconds: number | null;
  readonly file: {
    readonly path: string;
    readonly version: number;
    readonly frozenAt: string;
    readonly sha256: string;
    readonly files: readonly { readonly name: string; readonly sha256: string }[];
  };
  /** ISO 8601; empty where Temporal does not tell. */
  readonly nextTimes: readonly string[];
  /** Since it was made; null if Temporal does not tell. */
  readonly counts: ScheduleCounts | null;
  /** Productions whose runs hold up the next ones. */
  readonly underWay: readonly string[];
  /** Why those do not begin that do not. */
  readonly troubles: readonly { readonly production: string; readonly reason: string }[];
  readonly runs: readonly RunView[];
  /** Folder that its runs are put out into, each in one called after its time; null if none was named. */
  readonly out: string | null;
}

export interface ScheduleCounts {
  /** Backfilled times are among them, also those that had run before. */
  readonly started: number;
  /** An earlier run was under way. */
  readonly skipped: number;
  /** Nothing ran at that time, nor within the catch-up window. */
  readonly missed: number;
  /** More waited than Temporal keeps. */
  readonly dropped: number;
  /** They begin when an earlier run has ended. */
  readonly waiting: number;
}

/** Runs of a schedule, under way as Temporal has them and begun as the store has them. */
interface Found {
  readonly underWay: readonly { readonly production: string; readonly reason: string | null }[];
  readonly runs: readonly RunView[];
}

/** @param description of Temporal's; undefined if it was not asked or does not know the schedule. */
export function scheduleView(
  schedule: string,
  { timing, frozen, number, out }: NumberedVersion,
  description: ScheduleDescription | undefined,
  { underWay, runs }: Found,
): ScheduleView {
  return {
    schedule,
    state: description === undefined ? 'unknown' : description.state.paused ? 'paused' : 'active',
    note: description?.state.note ?? null,
    timing,
    catchUpSeconds: description === undefined ? null : description.policies.catchupWindow / 1_000,
    file: {
      path: frozen.file,
      version: number,
      frozenAt: frozen.frozenAt,
      sha256: frozen.source.sha256,
      files: frozen.files.map(({ name, sha256 }) => ({ name, sha256 })),
    },
    nextTimes: (description?.info.nextActionTimes ?? []).map((time) => time.toISOString()),
    counts: description === undefined ? null : countsOf(description),
    underWay: underWay.map(({ production }) => production),
    troubles: underWay.flatMap(({ production, reason }) => (reason === null ? [] : [{ production, reason }])),
    runs,
    out: out ?? null,
  };
}

function countsOf({ info, raw }: ScheduleDescription): ScheduleCounts {
  return {
    started: info.numActionsTaken,
    skipped: info.numActionsSkippedOverlap,
    missed: info.numActionsMissedCatchupWindow,
    dropped: Number(raw.info?.bufferDropped ?? 0),
    waiting: Number(raw.info?.bufferSize ?? 0),
  };
}

/** Temporal appends the time to the id of what it starts, as `-2026-11-22T02:00:00Z`. */
export function timeOfRun(workflowId: string): string {
  return workflowId.slice(-'2026-11-22T02:00:00Z'.length);
}
