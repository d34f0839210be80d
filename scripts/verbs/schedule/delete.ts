import { type ExitCode } from '../../process/exit-codes';
import { changeSchedule } from './change-schedule';

/** Deletes a schedule. Its runs stay, and runs in progress continue. */
export function deleteSchedule(name: string, { json }: { readonly json?: boolean }): Promise<ExitCode> {
  return changeSchedule(json, async (schedules) => {
    await schedules.delete(name);
    return {
      words: `"${name}" is deleted. Its runs stay, and runs in progress continue.`,
      facts: { schedule: name, state: 'deleted' },
    };
  });
}
