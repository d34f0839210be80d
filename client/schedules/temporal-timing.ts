import { type ScheduleOptions, ScheduleOverlapPolicy, type ScheduleSpec } from '@temporalio/client';
import { durationMs } from './duration';
import { type Timing } from './timing';
import { type Overlap } from '../../store';

/** Converts a schedule's timing to the form of Temporal's client. */

const POLICIES: Readonly<Record<Overlap, ScheduleOverlapPolicy>> = {
  skip: ScheduleOverlapPolicy.SKIP,
  'buffer-one': ScheduleOverlapPolicy.BUFFER_ONE,
  'buffer-all': ScheduleOverlapPolicy.BUFFER_ALL,
  'cancel-other': ScheduleOverlapPolicy.CANCEL_OTHER,
  'allow-all': ScheduleOverlapPolicy.ALLOW_ALL,
};

/** The period that is assumed if the schedule has fewer than two future times. */
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

/** The longest delay that jitter adds to a time. */
export function jitterMs({ jitter }: Timing): number {
  return durationMs(jitter ?? '') ?? 0;
}

export function policiesOf(
  { overlap, pauseOnFailure }: Timing,
  catchupWindow: number,
): NonNullable<ScheduleOptions['policies']> {
  return { overlap: overlapPolicy(overlap), catchupWindow, pauseOnFailure };
}

/** The catch-up window; undefined if it must be computed from the server's times. */
export function catchUpMs({ catchUp, every }: Timing): number | undefined {
  return durationMs(catchUp ?? every ?? '');
}

/** The shortest interval between times. A catch-up window of this length contains at most one missed time. */
export function periodMs(times: readonly Date[]): number {
  const steps = times.slice(1).map((time, index) => time.getTime() - (times[index]?.getTime() ?? 0));
  return steps.length === 0 ? CATCH_UP_OF_ONE_TIME_MS : Math.min(...steps);
}
