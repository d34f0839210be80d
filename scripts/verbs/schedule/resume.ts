import { type ExitCode } from '../../process/exit-codes';
import { changeSchedule } from './change-schedule';
import { type NoteOptions } from './pause';

/** Resumes a paused schedule from its next time. */
export function resume(name: string, { note, json }: NoteOptions): Promise<ExitCode> {
  return changeSchedule(json, async (schedules) => {
    await schedules.resume(name, note);
    return {
      words: `"${name}" goes on at its next time. What has passed meanwhile, or was left of a backfill, does not run; \`dailies schedule backfill ${name} --from INSTANT --to INSTANT\` begins it.`,
      facts: { schedule: name, state: 'active' },
    };
  });
}
