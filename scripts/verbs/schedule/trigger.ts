import { type ExitCode } from '../../process/exit-codes';
import { changeSchedule } from './change-schedule';

export interface TriggerOptions {
  readonly again?: string;
  readonly json?: boolean;
}

/** Starts a run now, or renders an earlier run again. */
export function trigger(name: string, { again, json }: TriggerOptions): Promise<ExitCode> {
  return changeSchedule(
    json,
    async (schedules) => {
      if (again !== undefined) await schedules.again(name, again);
      const production = again ?? (await schedules.trigger(name));
      return {
        words: `Rendering "${production}"; see \`dailies status ${production}\`.`,
        facts: { schedule: name, production },
        hasBegun: true,
      };
    },
    { maySpend: true },
  );
}
