import { type Client } from '@temporalio/client';
import { scheduleId } from '../../contracts/identifiers';
import { endOfBatch, endOfProduction, outcomeSoFar } from '../../contracts/render/run-end';
import { type ScheduleLine } from '../../contracts/render/scheduled-run';
import { type Store } from '../../store';
import { ifFound, liveStatus } from '../temporal/live-status';
import { ifThere } from './if-there';
import { inputOf } from './schedule-action';
import { type HandleOf } from '../temporal/start-workflow';

export interface ScheduleLineOptions {
  readonly temporal: Client;
  readonly store: Pick<Store, 'id'>;
}

/** Lets a worker's activities read schedules, and the ends of their runs, from Temporal. */
export function createScheduleLine({ temporal, store }: ScheduleLineOptions): ScheduleLine {
  return {
    async standing(schedule) {
      const handle = temporal.schedule.getHandle(scheduleId(store.id, schedule));
      const description = await ifThere(handle.describe());
      if (description === undefined || description.state.paused) return 'halted';
      const { template, timezone } = inputOf(description.action);
      return { template, timezone };
    },
    async endOf({ kind, workflowId }) {
      const handle = temporal.workflow.getHandle(workflowId);
      const run = await ifFound(handle.describe());
      const state = run?.status.name;
      if (kind === 'production') {
        const live = await liveStatus(handle);
        if (live.is === 'running') return outcomeSoFar(live.status);
        if (live.is === 'ended') return endOfProduction(live.status);
      }
      if (state === 'RUNNING') return 'under-way';
      if (kind !== 'batch' || state !== 'COMPLETED') return { state: 'had' };
      // Without its run id, this would be the result of the last run, which may have begun meanwhile.
      const batch: HandleOf<'batch'> = temporal.workflow.getHandle(workflowId, run?.runId);
      return endOfBatch(await batch.result());
    },
  };
}
