import { type ExitCode } from '../../process/exit-codes';
import { changeSchedule } from './change-schedule';

export interface NoteOptions {
  readonly note?: string;
  readonly json?: boolean;
}

/** Pauses a schedule: no scheduled run begins until the schedule is resumed. */
export function pause(name: string, { note, json }: NoteOptions): Promise<ExitCode> {
  return changeSchedule(json, async (schedules) => {
    await schedules.pause(name, note);
    return {
      words:
        `"${name}" is paused. Runs in progress continue. No scheduled run begins, not even one of a backfill. ` +
        `\`dailies schedule resume ${name}\` continues at the next time.`,
      facts: { schedule: name, state: 'paused' },
    };
  });
}
