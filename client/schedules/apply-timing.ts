import { type ScheduleHandle, type ScheduleOptions } from '@temporalio/client';
import { formatIssues } from '../production-file';
import { shown } from '../production-file/wording';
import { Refused } from '../refused';
import { catchUpMs, periodMs, policiesOf, specOf } from './temporal-timing';
import { refusedByServer, type Timing } from './timing';

type AppliedTiming = Pick<ScheduleOptions, 'spec'> & { readonly policies: NonNullable<ScheduleOptions['policies']> };

/** Until it is known by which period a cron expression comes. */
const FIRST_CATCH_UP_MS = 60_000;

/**
 * Gives a schedule its timing. When a cron expression comes only the server knows, so it is asked: the times to come tell
 * the period that is made up for, and are not moved by jitter while they do.
 *
 * @param apply makes or updates the schedule.
 * @param undo brings back what was there before.
 * @throws Refused for an expression that is none or never comes; then it is as before.
 */
export async function applyTiming(
  handle: ScheduleHandle,
  timing: Timing,
  apply: (timing: AppliedTiming) => Promise<unknown>,
  undo: () => Promise<unknown>,
): Promise<void> {
  const { cron } = timing;
  const asked = cron === null ? timing : { ...timing, jitter: null };
  await apply({ spec: specOf(asked), policies: policiesOf(timing, catchUpMs(timing) ?? FIRST_CATCH_UP_MS) }).catch(
    (error: unknown) => {
      // That is how the client tells that the server refuses the times.
      throw error instanceof TypeError ? refusedByServer(timing, error.message) : error;
    },
  );
  if (cron === null) return;
  const { nextActionTimes } = (await handle.describe()).info;
  if (nextActionTimes.length === 0) {
    await undo();
    throw new Refused(formatIssues([{ flag: '--cron', message: `${shown(cron)} never comes; give one that does` }]));
  }
  if (timing.jitter === null && timing.catchUp !== null) return;
  const policies = policiesOf(timing, catchUpMs(timing) ?? periodMs(nextActionTimes));
  await handle.update((before) => ({ ...before, spec: specOf(timing), policies }));
}
