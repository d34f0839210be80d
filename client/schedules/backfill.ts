import { type Client, type ScheduleHandle } from '@temporalio/client';
import { optionalDateToTs } from '@temporalio/common/lib/time';
import { type Store } from '../../store';
import { type FlagIssue, formatIssues } from '../production-file';
import { shown } from '../production-file/wording';
import { Refused } from '../refused';
import { runProductionId } from '../../contracts/identifiers';
import { countRuns, timeIn } from './list-runs';
import { overlapPolicy } from './temporal-timing';
import { readTiming, type Timing } from './timing';
import { pausedSchedule } from './unknown-schedule';

/** A stretch of time in the past; both ends count. ISO 8601, with a zone or an offset. */
export interface BackfillRequest {
  readonly from: string;
  readonly to: string;
  /** Default: one after the other. */
  readonly overlap?: string;
}

/** What a backfill has set going. */
export interface Backfill {
  /** Times of the schedule in the stretch. */
  readonly due: number;
  /** Of these, those whose runs were begun before: they are found, and not paid for again. */
  readonly had: number;
}

/** Temporal lists so many times and keeps so many waiting; what is more it would leave out, and not say so. */
const TOO_MANY_TIMES = 1_000;

/** An instant: a date, a time and where that is. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Has the runs of times that have passed begin. A schedule that is paused begins none; those that have run are found.
 *
 * @throws Refused for a stretch that is none, lies ahead, or has too many times, and where the schedule is paused.
 */
export async function backfill(
  { connection, options: { namespace } }: Client,
  { records }: Pick<Store, 'records'>,
  handle: ScheduleHandle,
  schedule: { readonly name: string; readonly timing: Timing; readonly paused: boolean },
  { from, to, overlap = 'buffer-all' }: BackfillRequest,
): Promise<Backfill> {
  const stretch = readStretch(from, to);
  const policy = overlapPolicy(readTiming({ overlap }, schedule.timing).overlap);
  // What it says of both ends is not the same for all versions of the server: the first is left out here.
  const before = new Date(stretch.from.getTime() - 1);
  const { startTime: times } = await connection.workflowService.listScheduleMatchingTimes({
    namespace,
    scheduleId: handle.scheduleId,
    startTime: optionalDateToTs(before) ?? null,
    endTime: optionalDateToTs(stretch.to) ?? null,
  });
  if (times.length >= TOO_MANY_TIMES) {
    throw new Refused(`${TOO_MANY_TIMES} times or more lie between ${from} and ${to}; take a shorter stretch`);
  }
  const second = (at: Date): string => timeIn(runProductionId(schedule.name, at.toISOString(), 'schedule'));
  const had = await countRuns({ records }, schedule.name, second(stretch.from), second(stretch.to));
  if (schedule.paused && times.length > had) throw pausedSchedule(schedule.name);
  if (times.length > 0) await handle.backfill({ start: before, end: stretch.to, overlap: policy });
  return { due: times.length, had };
}

function readStretch(from: string, to: string): { readonly from: Date; readonly to: Date } {
  const issues = [...instantIssues('--from', from), ...instantIssues('--to', to)];
  if (issues.length === 0 && Date.parse(from) > Date.parse(to)) {
    issues.push({ flag: '--to', message: `${shown(to)} is before --from; give a later time` });
  }
  if (issues.length === 0 && Date.parse(to) > Date.now()) {
    issues.push({ flag: '--to', message: `${shown(to)} lies ahead; a backfill is for times that have passed` });
  }
  if (issues.length > 0) throw new Refused(formatIssues(issues));
  return { from: new Date(from), to: new Date(to) };
}

function instantIssues(flag: string, written: string): FlagIssue[] {
  if (INSTANT.test(written) && !Number.isNaN(Date.parse(written))) return [];
  return [
    { flag, message: `${shown(written)} is no instant; write it as 2026-11-22T02:00:00Z or 2026-11-22T02:00+01:00` },
  ];
}
