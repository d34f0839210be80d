import { Context } from '@temporalio/activity';
import { type RunEnd } from '../../contracts/render/run-end';
import { type ScheduleActivities } from '../../contracts/render/scheduled-run';
import { failure } from '../fail';
import { type RunGate, whileTemporalAnswers } from './may-begin';
import { withHeartbeat } from '../with-heartbeat';

/** Pause between two checks. A long pause does no harm: it delays at most the schedule's next run. */
const LOOK_AGAIN_MS = 5_000;

/**
 * Makes the activity that waits until a run of another workflow has ended, or until only people can continue it.
 *
 * Each attempt checks once. Temporal's retry is the wait.
 *
 * @returns `waiting` if only people can continue the run. `had` if there is nothing to wait for: no call has found the
 *   run under way, its end is unknown, or `schedules` is undefined. Otherwise the run's outcome.
 * @throws RunUnderWay (retried, benign), ScheduleUnreachable (retried). See docs/failures.md.
 */
export function createAwaitRun({ schedules }: RunGate): ScheduleActivities['awaitRun'] {
  return (run) => {
    // The heartbeat's details carry this to the next attempt. It stays unchanged if Temporal does not answer.
    let wasUnderWay = run.wasUnderWay === true || Context.current().info.heartbeatDetails === true;
    const look = async (): Promise<RunEnd> => {
      if (schedules === undefined) return { state: 'had' };
      const end = await whileTemporalAnswers('the run has ended', () => schedules.endOf(run));
      if (end === 'under-way') {
        wasUnderWay = true;
        throw failure('RunUnderWay', `${run.workflowId} is under way`, { nextRetryDelayMs: LOOK_AGAIN_MS });
      }
      return wasUnderWay || end.state === 'waiting' ? end : { state: 'had' };
    };
    return withHeartbeat(look, () => wasUnderWay);
  };
}
