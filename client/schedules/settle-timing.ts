import { type Client, type ScheduleOptions } from '@temporalio/client';
import { formatIssues } from '../production-file';
import { shown } from '../production-file/wording';
import { Refused } from '../refused';
import { askTimes } from './ask-times';
import { catchUpMs, periodMs, policiesOf, specOf } from './temporal-timing';
import { refusedByServer, type Timing } from './timing';

/** A timing in Temporal's words. */
export type SettledTiming = Pick<ScheduleOptions, 'spec'> & {
  readonly policies: NonNullable<ScheduleOptions['policies']>;
};

/**
 * Settles a timing with the server, which alone knows when a cron expression comes: the times to come tell the period
 * that is made up for, and no jitter moves them. Changes nothing.
 *
 * @throws Refused for an expression that is none or never comes, and for a zone that the server does not know.
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
