import { checkScheduleName, checkTemplate, readTiming, type Schedules, type TimingOptions } from '../schedules';
import { type ScheduleView } from '../schedules';
import { absolute } from '../wording/working-folder';
import { type ProgramContext } from './context';

/** Times and rules of a schedule, as in the command's options. */
export interface ScheduleOptions extends TimingOptions {
  readonly note?: string;
  /** Folder that runs are published to. Default: none; `dailies export RUN` publishes one. */
  readonly out?: string;
}

/** Schedules for programs, as `dailies schedule …`. Throws Refused if the current state does not allow the call. */
export interface SchedulePrograms extends Omit<Schedules, 'create' | 'update'> {
  /** Creates a schedule that renders a production file or batch at given times. */
  create(name: string, file: string, options: ScheduleOptions): Promise<ScheduleView>;
  /** Changes its file, times or rules. What is left out stays. */
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
