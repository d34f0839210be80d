import { checkScheduleName, checkTemplate, readTiming, type Schedules, type TimingOptions } from '../schedules';
import { type ScheduleView } from '../schedules';
import { absolute } from '../working-folder';
import { type ProgramContext } from './context';

/** Times and rules of a schedule, as the command's options name them. */
export interface ScheduleOptions extends TimingOptions {
  readonly note?: string;
  /** Folder that runs are put out into. Default: none; `dailies export RUN` puts one out. */
  readonly out?: string;
}

/** What a program does with schedules, as `dailies schedule …`. What cannot be done throws Refused. */
export interface SchedulePrograms extends Omit<Schedules, 'create' | 'update'> {
  /** Has a production file or a batch rendered at times that a calendar names. */
  create(name: string, file: string, options: ScheduleOptions): Promise<ScheduleView>;
  /** Gives it another file, other times or other rules; what is left out stays. */
  update(name: string, options: ScheduleOptions & { readonly file?: string }): Promise<ScheduleView>;
}

function placeOf(out: string | undefined): { readonly out?: string } {
  return out === undefined ? {} : { out: absolute(out) };
}

export function createSchedulePrograms({
  config,
  client: { schedules },
  tellOfNoWorker,
}: ProgramContext): SchedulePrograms {
  return {
    ...schedules,
    async create(name, file, { out, ...options }) {
      checkScheduleName(name);
      readTiming(options);
      const view = await schedules.create(name, {
        ...options,
        ...placeOf(out),
        template: await checkTemplate(name, file, config),
      });
      await tellOfNoWorker();
      return view;
    },
    async update(name, { file, out, ...options }) {
      const template = file === undefined ? {} : { template: await checkTemplate(name, file, config) };
      return schedules.update(name, { ...options, ...placeOf(out), ...template });
    },
  };
}
