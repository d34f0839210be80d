import { type ScheduleDescription } from '@temporalio/client';
import { type RunView } from './list-runs';
import { type Timing } from './timing';
import { type NumberedVersion } from '../../store';

/** A schedule as in `dailies schedule show`. */
export interface ScheduleView {
  readonly schedule: string;
  /** `unknown`: Temporal was not asked, or does not know the schedule. */
  readonly state: 'active' | 'paused' | 'unknown';
  readonly note: string | null;
  readonly timing: Timing;
  /** Null if `state` is `unknown`. */
  readonly catchUpSeconds: number | null;
  readonly file: {
    /** Absolute; empty if a program gave the production or batch as an object. */
    readonly path: string;
    /** True if a program gave the production or batch as an object. */
    readonly given: boolean;
    readonly version: number;
    readonly frozenAt: string;
    readonly sha256: string;
    readonly files: readonly { readonly name: string; readonly sha256: string }[];
  };
  /** ISO 8601. Empty if `state` is `unknown`. */
  readonly nextTimes: readonly string[];
  /** Counts of scheduled times since the schedule was created. Null if `state` is `unknown`. */
  readonly counts: ScheduleCounts | null;
  /** Ids of the productions or batches of the scheduled runs in progress, without runs by hand. */
  readonly underWay: readonly string[];
  /** Runs that cannot begin, and the reasons. */
  readonly troubles: readonly { readonly production: string; readonly reason: string }[];
  readonly runs: readonly RunView[];
  /** Folder for the schedule's runs; null if none was given. Each run has a subfolder, named after the run's time. */
  readonly out: string | null;
}

export interface ScheduleCounts {
  /** Includes backfilled times, even if their runs had already begun. */
  readonly started: number;
  /** Skipped because an earlier run was still in progress. */
  readonly skipped: number;
  /** Missed because the Temporal server was down from the scheduled time until the end of the catch-up window. */
  readonly missed: number;
  /** Dropped because Temporal's buffer of waiting times was full. */
  readonly dropped: number;
  /** Waiting until an earlier run has ended. */
  readonly waiting: number;
}

/** A schedule's runs: those in progress according to Temporal, and those that have begun according to the store. */
interface Found {
  readonly underWay: readonly { readonly production: string; readonly reason: string | null }[];
  readonly runs: readonly RunView[];
}

/** @param description from Temporal; undefined if Temporal was not asked or does not know the schedule. */
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
      given: frozen.given === true,
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

/** The time that Temporal has appended to a workflow id, such as `2026-11-22T02:00:00Z`. */
export function timeOfRun(workflowId: string): string {
  return workflowId.slice(-'2026-11-22T02:00:00Z'.length);
}

/** The times of a schedule, such as `cron 0 2 * * *, Europe/Berlin`. */
export function timesInWords({ timing: { cron, every, timezone } }: Pick<ScheduleView, 'timing'>): string {
  return `${cron === null ? `every ${every ?? ''}` : `cron ${cron}`}, ${timezone}`;
}
