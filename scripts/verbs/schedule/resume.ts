import { type ExitCode } from '../../process/exit-codes';
import { changeSchedule } from './change-schedule';
import { type NoteOptions } from './pause';

/** Resumes a paused schedule from its next time. */
export function resume(name: string, { note, json }: NoteOptions): Promise<ExitCode> {
  return changeSchedule(json, async (schedules) => {
    await schedules.resume(name, note);
    return {
      words: `"${name}" continues at its next time. Times that have passed, and times of a backfill that the pause cut off, do not run; \`dailies schedule backfill ${name} --from INSTANT --to INSTANT\` starts them.`,
      facts: { schedule: name, state: 'active' },
    };
  });
}
