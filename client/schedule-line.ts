import { type Client } from '@temporalio/client';
import { scheduleId } from '../contracts/identifiers';
import { type ScheduleLine } from '../contracts/scheduled-run';
import { type Store } from '../store';
import { ifThere } from './schedules/if-there';
import { inputOf } from './schedules/schedule-action';

export interface ScheduleLineOptions {
  readonly temporal: Client;
  readonly store: Pick<Store, 'id'>;
}

/** What a worker's activities ask Temporal's schedules by. */
export function createScheduleLine({ temporal, store }: ScheduleLineOptions): ScheduleLine {
  return {
    async standing(schedule) {
      const handle = temporal.schedule.getHandle(scheduleId(store.id, schedule));
      const description = await ifThere(handle.describe());
      if (description === undefined || description.state.paused) return 'halted';
      const { template, timezone } = inputOf(description.action);
      return { template, timezone };
    },
  };
}
