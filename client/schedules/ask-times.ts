import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleHandle,
  type ScheduleOptions,
  type ScheduleSpec,
} from '@temporalio/client';
import { optionalDateToTs, optionalTsToDate } from '@temporalio/common/lib/time';
import { timesScheduleId } from '../../contracts/identifiers';
import { WORKFLOWS } from '../../contracts/workflows';
import { ifThere } from './if-there';

/** Which schedule times are asked for. */
export interface Asked {
  readonly storeId: string;
  readonly name: string;
  readonly spec: ScheduleSpec;
}

/**
 * Asks the server about times before a schedule has them: by a schedule beside it, which is paused, fires nothing and is
 * deleted at once. So the one that it is about is changed as a whole, or not at all.
 *
 * @throws TypeError where the server refuses the times; that is how the client tells it.
 */
export async function askTimes<T>(
  { schedule }: Client,
  { storeId, name, spec }: Asked,
  ask: (handle: ScheduleHandle) => Promise<T>,
): Promise<T> {
  const scheduleId = timesScheduleId(storeId, name);
  const action: ScheduleOptions['action'] = {
    type: 'startWorkflow',
    workflowType: WORKFLOWS.scheduledRun,
    taskQueue: scheduleId,
  };
  const make = (): Promise<ScheduleHandle> =>
    schedule.create({ scheduleId, spec, action, state: { paused: true, note: `asks for the times of ${name}` } });
  const handle = await make().catch(async (error: unknown) => {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    // Left by one that was killed.
    await ifThere(schedule.getHandle(scheduleId).delete());
    return make();
  });
  try {
    return await ask(handle);
  } finally {
    await ifThere(handle.delete());
  }
}

/** Times of a schedule in a stretch of which both ends count; Temporal lists fewer than a thousand and one. */
export async function matchingTimes(
  { connection, options: { namespace } }: Client,
  { scheduleId }: ScheduleHandle,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<readonly Date[]> {
  const { startTime } = await connection.workflowService.listScheduleMatchingTimes({
    namespace,
    scheduleId,
    // What it says of both ends is not the same for all versions of the server: the first is left out here.
    startTime: optionalDateToTs(new Date(from.getTime() - 1)) ?? null,
    endTime: optionalDateToTs(to) ?? null,
  });
  return startTime.map((time) => optionalTsToDate(time)).filter((time) => time !== undefined);
}
