import { type ScheduleOptions, ScheduleOverlapPolicy, type ScheduleSpec } from '@temporalio/client';
import { durationMs } from './duration';
import { type Overlap, type Timing } from './timing';

/** A schedule's timing in Temporal's words. */

const POLICIES: Readonly<Record<Overlap, ScheduleOverlapPolicy>> = {
  skip: ScheduleOverlapPolicy.SKIP,
  'buffer-one': ScheduleOverlapPolicy.BUFFER_ONE,
  'buffer-all': ScheduleOverlapPolicy.BUFFER_ALL,
  'cancel-other': ScheduleOverlapPolicy.CANCEL_OTHER,
  'allow-all': ScheduleOverlapPolicy.ALLOW_ALL,
};

/** Where fewer than two times are to come there is no period. */
const CATCH_UP_OF_ONE_TIME_MS = 3_600_000;

export function overlapPolicy(overlap: Overlap): ScheduleOverlapPolicy {
  return POLICIES[overlap];
}

export function specOf({ cron, every, timezone, jitter }: Timing): ScheduleSpec {
  return {
    ...(cron === null ? {} : { cronExpressions: [cron] }),
    ...(every === null ? {} : { intervals: [{ every: durationMs(every) ?? 0 }] }),
    timezone,
    ...(jitter === null ? {} : { jitter: durationMs(jitter) ?? 0 }),
  };
}

/** By how much a time may come later than it is. */
export function jitterMs({ jitter }: Timing): number {
  return durationMs(jitter ?? '') ?? 0;
}

export function policiesOf(
  { overlap, pauseOnFailure }: Timing,
  catchupWindow: number,
): NonNullable<ScheduleOptions['policies']> {
  return { overlap: overlapPolicy(overlap), catchupWindow, pauseOnFailure };
}

/** What is made up for; undefined if only the times to come can tell. */
export function catchUpMs({ catchUp, every }: Timing): number | undefined {
  return durationMs(catchUp ?? every ?? '');
}

/** The shortest step between times: at most one missed time is made up for. */
export function periodMs(times: readonly Date[]): number {
  const steps = times.slice(1).map((time, index) => time.getTime() - (times[index]?.getTime() ?? 0));
  return steps.length === 0 ? CATCH_UP_OF_ONE_TIME_MS : Math.min(...steps);
}
