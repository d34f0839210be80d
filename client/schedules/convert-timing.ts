import { type Client, type ScheduleOptions } from '@temporalio/client';
import { formatIssues } from '../production-file';
import { shown } from '../wording/phrases';
import { Refused } from '../wording/refused';
import { askTimes } from './ask-times';
import { catchUpMs, periodMs, policiesOf, specOf } from './temporal-timing';
import { refusedByServer, type Timing } from './timing';

/** A timing in the form of Temporal's client. */
export type ConvertedTiming = Pick<ScheduleOptions, 'spec'> & {
  readonly policies: NonNullable<ScheduleOptions['policies']>;
};

/**
 * Converts a timing. The default catch-up window is the schedule's period. Only the server can compute the period of a
 * cron expression, so `askTimes` reads the times of a temporary schedule.
 *
 * @throws Refused if the expression is invalid or has no future times, if the server does not know the time zone, or if
 *   another command asks for times of the same schedule.
 */
export async function convertTiming(
  temporal: Client,
  of: { readonly storeId: string; readonly name: string },
  timing: Timing,
): Promise<ConvertedTiming> {
  const spec = specOf({ ...timing, jitter: null });
  const times = await askTimes(temporal, { ...of, spec }, async (handle) => {
    return (await handle.describe()).info.nextActionTimes;
  }).catch((error: unknown) => {
    throw error instanceof TypeError ? refusedByServer(timing, error.message) : error;
  });
  if (times.length === 0) {
    throw new Refused(
      formatIssues([
        {
          flag: '--cron',
          message: `${shown(timing.cron ?? '')} has no future times; give an expression that has some`,
        },
      ]),
    );
  }
  return { spec: specOf(timing), policies: policiesOf(timing, catchUpMs(timing) ?? periodMs(times)) };
}
