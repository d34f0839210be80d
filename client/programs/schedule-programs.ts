import { isDeepStrictEqual } from 'node:util';
import { type BatchObject } from '../batch-file/given-batch';
import {
  type BackfillPlan,
  type BackfillRequest,
  type CheckedTemplate,
  checkGivenTemplate,
  checkScheduleName,
  checkTemplate,
  readTiming,
  type RunPlan,
  type Schedules,
  type TimingOptions,
} from '../schedules';
import { type ScheduleView } from '../schedules';
import { Refused } from '../wording/refused';
import { absolute } from '../wording/working-folder';
import { type ProgramContext } from './context';
import { type Given, type GivenOptions, type ProductionText } from './given';
import { InvalidBatch } from './invalid-batch';
import { InvalidInput } from './invalid-input';

/** Times and rules of a schedule, as in the command's options. */
export interface ScheduleOptions extends TimingOptions, GivenOptions {
  readonly note?: string;
  /** Folder that runs are published to. Default: none; `dailies export RUN` publishes a run. */
  readonly out?: string;
}

/** A production or batch: the path of its file, or an object with the same keys. */
export type ScheduleGiven = Exclude<Given, ProductionText> | BatchObject;

/** Schedules for programs, like `dailies schedule …`. Throws Refused if the current state does not allow the call. */
export interface SchedulePrograms extends Omit<
  Schedules,
  'create' | 'update' | 'planRun' | 'trigger' | 'planBackfill' | 'backfill'
> {
  /**
   * Creates a schedule that renders a production or batch at given times. Later changes of its file or object have no
   * effect.
   *
   * @throws InvalidInput for errors in a production object, InvalidBatch for errors in a batch object, else Refused
   */
  create(name: string, given: ScheduleGiven, options: ScheduleOptions): Promise<ScheduleView>;
  /** Changes a schedule's file or object, times or rules. Omitted options keep their values. @throws as `create` */
  update(name: string, options: ScheduleOptions & { readonly file?: ScheduleGiven }): Promise<ScheduleView>;
  /** Plans the run that `trigger` would begin, and its price. Begins nothing. @throws Refused */
  planRun(name: string): Promise<RunPlan>;
  /**
   * Begins a run by hand, independent of the schedule's times.
   *
   * @param plan from `planRun`. The run is refused if the schedule's version or the run's price has changed since.
   * @returns the id of the run's production or batch.
   * @throws Refused
   */
  trigger(name: string, plan?: RunPlan): Promise<string>;
  /** Plans the runs that `backfill` would begin, and their price. Begins nothing. @throws Refused */
  planBackfill(name: string, request: BackfillRequest): Promise<BackfillPlan>;
  /**
   * Begins the runs of past times. Runs that have already begun are not paid for again.
   *
   * @param plan from `planBackfill`. The backfill is refused if its runs or its price have changed since.
   * @throws Refused
   */
  backfill(name: string, request: BackfillRequest, plan?: BackfillPlan): ReturnType<Schedules['backfill']>;
}

function placeOf(out: string | undefined): { readonly out?: string } {
  return out === undefined ? {} : { out: absolute(out) };
}

export function createSchedulePrograms({
  config,
  client: { schedules },
  quotes,
  tellOfNoWorker,
}: ProgramContext): SchedulePrograms {
  async function templateOf(name: string, given: ScheduleGiven, baseDir = '.'): Promise<CheckedTemplate> {
    if (typeof given === 'string') return checkTemplate(name, given, config);
    const checked = await checkGivenTemplate(name, given, config, absolute(baseDir));
    if ('template' in checked) return checked.template;
    throw 'count' in checked ? new InvalidBatch(checked.issues, checked.count) : new InvalidInput(checked.issues);
  }
  return {
    list: () => schedules.list(),
    show: (name) => schedules.show(name),
    pause: (name, note) => schedules.pause(name, note),
    resume: (name, note) => schedules.resume(name, note),
    again: (name, productionId) => schedules.again(name, productionId),
    delete: (name) => schedules.delete(name),
    planRun: (name) => schedules.planRun(name, quotes()),
    async trigger(name, plan) {
      if (plan !== undefined && !isDeepStrictEqual(plan, await schedules.planRun(name, quotes()))) {
        throw new Refused(`the run of "${name}" is not as planned; plan again, and see what it costs now`);
      }
      return schedules.trigger(name, plan?.version);
    },
    planBackfill: (name, request) => schedules.planBackfill(name, request, quotes()),
    async backfill(name, request, plan) {
      if (plan !== undefined && !isDeepStrictEqual(plan, await schedules.planBackfill(name, request, quotes()))) {
        throw new Refused(`the backfill of "${name}" is not as planned; plan again, and see what it costs now`);
      }
      return schedules.backfill(name, request, plan?.version);
    },
    async create(name, given, { out, baseDir, ...options }) {
      checkScheduleName(name);
      readTiming(options);
      const template = await templateOf(name, given, baseDir);
      const view = await schedules.create(name, { ...options, ...placeOf(out), template });
      await tellOfNoWorker();
      return view;
    },
    async update(name, { file, out, baseDir, ...options }) {
      const template = file === undefined ? {} : { template: await templateOf(name, file, baseDir) };
      return schedules.update(name, { ...options, ...placeOf(out), ...template });
    },
  };
}
