import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleHandle,
  type ScheduleOptions,
  type ScheduleSpec,
} from '@temporalio/client';
import { optionalDateToTs, optionalTsToDate } from '@temporalio/common/lib/time';
import { timesScheduleId } from '../../contracts/identifiers';
import { WORKFLOWS } from '../../contracts/workflow-signatures';
import { ifThere } from './if-there';

/** A schedule's name and the times to ask about. */
export interface Asked {
  readonly storeId: string;
  readonly name: string;
  readonly spec: ScheduleSpec;
}

/**
 * Asks the server about times before the real schedule gets them. Uses a temporary schedule that is paused, and deleted
 * right after the answer, so that the real schedule changes completely or not at all.
 *
 * @throws TypeError, from Temporal's client, if the server rejects the times.
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
    // A killed process has left the temporary schedule. If another command is using that schedule now, the other
    // command fails.
    await ifThere(schedule.getHandle(scheduleId).delete());
    return make();
  });
  try {
    return await ask(handle);
  } finally {
    await ifThere(handle.delete());
  }
}

/** Times of a schedule between two instants, both included. Temporal lists at most 1,000. */
export async function matchingTimes(
  { connection, options: { namespace } }: Client,
  { scheduleId }: ScheduleHandle,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<readonly Date[]> {
  const { startTime } = await connection.workflowService.listScheduleMatchingTimes({
    namespace,
    scheduleId,
    // Server versions differ in whether they include a time that equals the start, so the search starts 1 ms earlier.
    startTime: optionalDateToTs(new Date(from.getTime() - 1)) ?? null,
    endTime: optionalDateToTs(to) ?? null,
  });
  return startTime.map((time) => optionalTsToDate(time)).filter((time) => time !== undefined);
}
