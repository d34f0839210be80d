import { randomUUID } from 'node:crypto';
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
import { Refused } from '../wording/refused';
import { ifThere } from './if-there';

/** A schedule's name, and the spec whose times are asked for. */
export interface Asked {
  readonly storeId: string;
  readonly name: string;
  readonly spec: ScheduleSpec;
}

/**
 * Asks the server for the times of a spec, through a temporary schedule that is paused, and is deleted right after the
 * answer. The real schedule is not touched.
 *
 * @throws TypeError, from Temporal's client, if the server rejects the spec. @throws Refused if another command asks
 *   for times of the same schedule meanwhile.
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
  const note = `asks for the times of ${name}: ${randomUUID()}`;
  const make = (): Promise<ScheduleHandle> =>
    schedule.create({ scheduleId, spec, action, state: { paused: true, note } });
  const handle = await make().catch(async (error: unknown) => {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    // The temporary schedule exists: a killed process left it behind, or another command is using it. That command then
    // notices that its schedule was replaced.
    await ifThere(schedule.getHandle(scheduleId).delete());
    return make().catch((again: unknown) => {
      throw again instanceof ScheduleAlreadyRunning ? isAskedElsewhere(name) : again;
    });
  });
  const [answer] = await Promise.allSettled([ask(handle)]);
  if ((await ifThere(handle.describe()))?.state.note !== note) {
    throw answer.status === 'rejected' ? (answer.reason as Error) : isAskedElsewhere(name);
  }
  await ifThere(handle.delete());
  if (answer.status === 'rejected') throw answer.reason as Error;
  return answer.value;
}

function isAskedElsewhere(name: string): Refused {
  return new Refused(`another command asks for the times of the schedule "${name}" now; type the command again`);
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
