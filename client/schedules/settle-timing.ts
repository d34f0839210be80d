import { type Client, type ScheduleOptions } from '@temporalio/client';
import { formatIssues } from '../production-file';
import { shown } from '../wording/phrases';
import { Refused } from '../wording/refused';
import { askTimes } from './ask-times';
import { catchUpMs, periodMs, policiesOf, specOf } from './temporal-timing';
import { refusedByServer, type Timing } from './timing';

/** A timing in the form of Temporal's client. */
export type SettledTiming = Pick<ScheduleOptions, 'spec'> & {
  readonly policies: NonNullable<ScheduleOptions['policies']>;
};

/**
 * Converts a timing, with the server's help: only the server knows the times of a cron expression, and their period is
 * the default catch-up window. Jitter does not affect that. Changes nothing.
 *
 * @throws Refused if the expression is invalid or has no future times, or the server does not know the time zone.
 */
export async function settleTiming(
  temporal: Client,
  of: { readonly storeId: string; readonly name: string },
  timing: Timing,
): Promise<SettledTiming> {
  const spec = specOf({ ...timing, jitter: null });
  const times = await askTimes(temporal, { ...of, spec }, async (handle) => {
    return (await handle.describe()).info.nextActionTimes;
  }).catch((error: unknown) => {
    throw error instanceof TypeError ? refusedByServer(timing, error.message) : error;
  });
  if (times.length === 0) {
    throw new Refused(
      formatIssues([{ flag: '--cron', message: `${shown(timing.cron ?? '')} never comes; give one that does` }]),
    );
  }
  return { spec: specOf(timing), policies: policiesOf(timing, catchUpMs(timing) ?? periodMs(times)) };
}
