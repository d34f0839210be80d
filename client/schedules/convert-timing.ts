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
 * Converts a timing. If it gives no catch-up window, the window is the schedule's period, which only the server can
 * compute from a cron expression. The server is asked through a temporary schedule without jitter; the real schedule is
 * not changed.
 *
 * @throws Refused if the expression is invalid or has no future times, or the server does not know the time zone.
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
