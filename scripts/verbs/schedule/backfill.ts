import { type ExitCode } from '../../process/exit-codes';
import { changeSchedule } from './change-schedule';

export interface BackfillOptions {
  readonly from: string;
  readonly to: string;
  readonly overlap: string;
  readonly json?: boolean;
}

/** Starts a schedule's runs for past times. */
export function backfill(name: string, { json, from, to, overlap }: BackfillOptions): Promise<ExitCode> {
  return changeSchedule(
    json,
    async (schedules) => {
      const { due, had } = await schedules.backfill(name, { from, to, overlap });
      const times = `"${name}" has ${due} ${due === 1 ? 'time' : 'times'} from ${from} to ${to}`;
      return {
        words:
          due === 0
            ? `${times}.`
            : `${times}: ${due - had} to begin, ${had} that had begun before and are not paid for again.`,
        facts: { schedule: name, from, to, due, had },
        hasBegun: due > had,
      };
    },
    { maySpend: true },
  );
}
