import { type Client, type ScheduleHandle, type ScheduleOverlapPolicy } from '@temporalio/client';
import { type Store } from '../../store';
import { type FlagIssue, formatIssues } from '../production-file';
import { shown } from '../wording/phrases';
import { Refused } from '../wording/refused';
import { isDate } from '../../contracts/file/ready-by';
import { runProductionId } from '../../contracts/identifiers';
import { askTimes, matchingTimes } from './ask-times';
import { jitterMs, overlapPolicy, specOf } from './temporal-timing';
import { readTiming, type Timing } from './timing';
import { pausedSchedule } from './unknown-schedule';

/**
 * A period in the past, including both ends, in ISO 8601 with `Z` or an offset. It applies to the schedule's times
 * without jitter.
 */
export interface BackfillRequest {
  readonly from: string;
  readonly to: string;
  /** Default: one after the other. */
  readonly overlap?: string;
}

export interface Backfill {
  /** Number of the schedule's times in the period. */
  readonly due: number;
  /** Number of these times whose runs have already begun. Those runs are not paid for again. */
  readonly had: number;
}

/** Temporal lists and buffers at most this many times, and drops all later ones without an error. */
const TOO_MANY_TIMES = 1_000;

/** An instant: date, time, and `Z` or an offset. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Begins the runs of past times. Runs that have already begun are not paid for again.
 *
 * @throws Refused if the period or overlap is invalid, if the period ends in the future or has too many times, if the
 *   schedule is paused and one of the runs has not begun, or if another command asks for the schedule's times.
 */
export async function backfill(
  temporal: Client,
  { id: storeId, runs }: Pick<Store, 'id' | 'runs'>,
  handle: ScheduleHandle,
  schedule: BackfilledSchedule,
  request: BackfillRequest,
): Promise<Backfill> {
  const { timing } = schedule;
  const { policy, times, had } = await findTimes({ temporal, storeId, runs }, handle, schedule, request);
  const [first, last] = [times.at(0), times.at(-1)];
  if (first === undefined || last === undefined) return { due: 0, had };
  // Temporal compares a backfill's start with the times without jitter, and its end with the times with jitter. Jitter
  // never delays a time past the next one, so the first `times.length` jittered times are the wanted ones.
  const jittered = { from: first, to: new Date(last.getTime() + jitterMs(timing)) };
  const end = (await matchingTimes(temporal, handle, jittered)).at(times.length - 1) ?? last;
  await handle.backfill({ start: new Date(first.getTime() - 1), end, overlap: policy });
  return { due: times.length, had };
}

export interface BackfilledSchedule {
  readonly name: string;
  readonly timing: Timing;
  readonly paused: boolean;
}

/** The times of a backfill, and the number of times whose runs have already begun. @throws Refused as `backfill` */
export async function findTimes(
  { temporal, storeId, runs }: { readonly temporal: Client; readonly storeId: string; readonly runs: Store['runs'] },
  handle: ScheduleHandle,
  { name, timing, paused }: BackfilledSchedule,
  { from, to, overlap = 'buffer-all' }: BackfillRequest,
): Promise<Backfill & { readonly policy: ScheduleOverlapPolicy; readonly times: readonly Date[] }> {
  const period = readPeriod(from, to);
  const policy = overlapPolicy(readTiming({ overlap }, timing).overlap);
  const times =
    timing.jitter === null
      ? await matchingTimes(temporal, handle, period)
      : await askTimes(temporal, { storeId, name, spec: specOf({ ...timing, jitter: null }) }, (without) =>
          matchingTimes(temporal, without, period),
        );
  if (times.length >= TOO_MANY_TIMES) {
    throw new Refused(`${TOO_MANY_TIMES} times or more lie between ${from} and ${to}; choose a shorter period`);
  }
  const begun = new Set(await runs.ids(name));
  const had = times.filter((time) => begun.has(runProductionId(name, time.toISOString(), 'schedule'))).length;
  if (paused && times.length > had) throw pausedSchedule(name);
  return { due: times.length, had, policy, times };
}

function readPeriod(from: string, to: string): { readonly from: Date; readonly to: Date } {
  const issues = [...instantIssues('--from', from), ...instantIssues('--to', to)];
  if (issues.length === 0 && Date.parse(from) > Date.parse(to)) {
    issues.push({ flag: '--to', message: `${shown(to)} is before --from; give a later time` });
  }
  if (issues.length === 0 && Date.parse(to) > Date.now()) {
    issues.push({ flag: '--to', message: `${shown(to)} is in the future; a backfill is for times that have passed` });
  }
  if (issues.length > 0) throw new Refused(formatIssues(issues));
  return { from: new Date(from), to: new Date(to) };
}

function instantIssues(flag: string, written: string): FlagIssue[] {
  if (INSTANT.test(written) && isDate(written.slice(0, 10)) && !Number.isNaN(Date.parse(written))) return [];
  return [
    {
      flag,
      message: `${shown(written)} is not an instant; write it as 2026-11-22T02:00:00Z or 2026-11-22T02:00+01:00`,
    },
  ];
}
