import { type Client, ScheduleAlreadyRunning, type ScheduleDescription, type ScheduleHandle } from '@temporalio/client';
import { ID_PATTERN, scheduleId } from '../../contracts/identifiers';
import { type ProductionStatus } from '../../contracts/status';
import { type FrozenSchedule, type NumberedVersion, type Quotes, type Store } from '../../store';
import { Refused } from '../wording/refused';
import { type Renders } from '../renders';
import { knowsSearchAttributes } from '../temporal/search-attributes';
import { type StartOptions } from '../temporal/start-workflow';
import { retriedFailure } from '../temporal/troubles';
import { type Backfill, backfill, type BackfillRequest, findTimes } from './backfill';
import { type BackfillPlan, manyTimes, runQuote, type RunPlan } from './plan-backfill';
import { type CheckedTemplate } from './check-template';
import { closingTemplate, freezeTemplate } from './freeze-template';
import { ifThere } from './if-there';
import { refuseLeftUnderWay } from './left-under-way';
import { actionOf, inputOf } from './schedule-action';
import { checkScheduleName } from './schedule-name';
import { type ScheduleView } from './schedule-view';
import { createScheduleViews, type ScheduleViews } from './schedule-views';
import { convertTiming } from './convert-timing';
import { readTiming, type Timing, type TimingOptions } from './timing';
import { renderAgain, triggerRun } from './trigger-run';
import { lostSchedule, foreignSchedule, strangeSchedule, takenSchedule, unknownSchedule } from './unknown-schedule';

export interface ScheduleChange extends TimingOptions {
  readonly template?: CheckedTemplate;
  readonly note?: string;
  /** Absolute path of the folder for the schedule's runs. */
  readonly out?: string | undefined;
}

/**
 * Productions and batches that start at given times. If the current state does not allow a call, the method throws
 * Refused and changes nothing.
 */
export interface Schedules extends Pick<ScheduleViews, 'list' | 'show'> {
  create(name: string, change: ScheduleChange & { readonly template: CheckedTemplate }): Promise<ScheduleView>;
  /** Omitted options keep their values. Runs that have begun do not change. */
  update(name: string, change: ScheduleChange): Promise<ScheduleView>;
  /** A paused schedule begins no scheduled or backfilled runs. Runs in progress continue. */
  pause(name: string, note?: string): Promise<void>;
  resume(name: string, note?: string): Promise<void>;
  /** Plans the run that `trigger` would begin, and its price. Begins nothing. */
  planRun(name: string, quotes: Quotes): Promise<RunPlan>;
  /**
   * Begins a run by hand, independent of the schedule's times.
   *
   * @param planned the version of the schedule that a person has agreed to. Default: the version in force.
   * @returns the id of the run's production or batch.
   * @throws Refused
   */
  trigger(name: string, planned?: number): Promise<string>;
  /** Renders the last version of a run's production again. Failed takes may be paid for again. */
  again(name: string, productionId: string): Promise<void>;
  /** Plans the runs that `backfill` would begin, and their price. Begins nothing. */
  planBackfill(name: string, request: BackfillRequest, quotes: Quotes): Promise<BackfillPlan>;
  /**
   * Begins the runs of past times. Runs that have already begun are not paid for again.
   *
   * @param planned as in `trigger`.
   */
  backfill(name: string, request: BackfillRequest, planned?: number): Promise<Backfill>;
  /**
   * Deletes the schedule. Runs in progress continue. If the schedule is created again, times that have had a run get no
   * second run.
   */
  delete(name: string): Promise<void>;
}

export interface SchedulesOptions {
  readonly temporal: Client;
  readonly store: Store;
  readonly account: string;
  readonly startOptions: StartOptions;
  readonly renders: Pick<Renders, 'render'>;
  /** The status from Temporal or else from the store. */
  readonly status: (productionId: string) => Promise<ProductionStatus | undefined>;
}

/** Failure types that `show` does not report as troubles, because the run only waits for another run. */
const WAITS: ReadonlySet<string> = new Set(['RunUnderWay']);

export function createSchedules({
  temporal,
  store,
  account,
  startOptions,
  renders,
  status,
}: SchedulesOptions): Schedules {
  const { schedules } = store;
  const handleOf = (name: string): ScheduleHandle => temporal.schedule.getHandle(scheduleId(store.id, name));

  const describe = (name: string): Promise<ScheduleDescription | undefined> => ifThere(handleOf(name).describe());
  const trouble = (id: string): Promise<string | undefined> => retriedFailure(temporal.workflow.getHandle(id), WAITS);
  const views = createScheduleViews({ store, account, describe, status, trouble });

  /** @param planned the only version that is accepted. Default: the version in force. */
  async function known(
    name: string,
    planned?: number,
  ): Promise<{ version: NumberedVersion; description: ScheduleDescription }> {
    const { version, description } = await views.inForce(name);
    if (description === undefined) throw lostSchedule(name, version.frozen);
    if (planned !== undefined && inputOf(description.action).version !== planned) {
      throw new Refused(`schedule "${name}" was changed meanwhile; plan again, and see what a run costs now`);
    }
    return { version, description };
  }

  /**
   * Refuses a name that is in use, or whose deleted schedule still has a run in progress. A schedule whose creation was
   * interrupted, or that Temporal has lost, can be created again.
   */
  async function refuseTaken(name: string): Promise<void> {
    const last = await schedules.last(name);
    const isInUse = last?.deleted === false;
    if (isInUse && last.account !== account) throw foreignSchedule(name, last.account, account);
    if ((await describe(name)) !== undefined) throw isInUse ? takenSchedule(name) : strangeSchedule(name);
    if (last !== undefined) await refuseLeftUnderWay(temporal, store, name);
  }

  /** Two schedules must not share a folder, because runs of the same time would have the same subfolder. */
  async function refuseSharedFolder(name: string, out: string | undefined): Promise<void> {
    if (out === undefined) return;
    for (const other of await schedules.names()) {
      if (other === name || (await schedules.last(other))?.out !== out) continue;
      throw new Refused(`the runs of schedule "${other}" are exported to ${out} already; name another folder by --out`);
    }
  }

  /** Records a version before Temporal has it, so that Temporal never has a schedule that the store does not know. */
  async function intend(name: string, timing: Timing, frozen: FrozenSchedule, out: string | undefined) {
    const searchable = await knowsSearchAttributes(temporal.connection, temporal.options.namespace);
    const place = out === undefined ? {} : { out };
    const number = await schedules.append(name, { account, timing, frozen, ...place, at: now(), deleted: false });
    const { timezone } = timing;
    const input = { schedule: name, storeId: store.id, account, version: number, template: frozen.template, timezone };
    return { number, action: actionOf({ ...input, searchable }, startOptions) };
  }

  return {
    list: () => views.list(),
    show: (name) => views.show(name),
    create: (name, { template, note, out, ...written }) =>
      closingTemplate(template, async () => {
        checkScheduleName(name);
        const timing = readTiming(written);
        await refuseTaken(name);
        await refuseSharedFolder(name, out);
        const converted = await convertTiming(temporal, { storeId: store.id, name }, timing);
        const frozen = await freezeTemplate(name, template, store, account);
        const { number, action } = await intend(name, timing, frozen, out);
        const state = { paused: false, ...(note === undefined ? {} : { note }) };
        try {
          await temporal.schedule.create({ scheduleId: scheduleId(store.id, name), ...converted, action, state });
        } catch (error) {
          // If Temporal does not answer, keep the record, because the schedule may exist.
          const isThere = await describe(name).then(
            (found) => found !== undefined,
            () => true,
          );
          if (!isThere) await schedules.append(name, { account, timing, frozen, at: now(), deleted: true });
          throw error instanceof ScheduleAlreadyRunning ? takenSchedule(name) : error;
        }
        await schedules.noteAccepted(name, number);
        return views.show(name);
      }),
    update: (name, { template, note, out, ...written }) =>
      closingTemplate(template, async () => {
        const { version } = await known(name);
        await refuseSharedFolder(name, out);
        const timing = readTiming(written, version.timing);
        const converted = await convertTiming(temporal, { storeId: store.id, name }, timing);
        const frozen = template === undefined ? version.frozen : await freezeTemplate(name, template, store, account);
        const { number, action } = await intend(name, timing, frozen, out ?? version.out);
        await handleOf(name).update(({ state, ...before }) => ({
          ...before,
          ...converted,
          action,
          state: { ...state, ...(note === undefined ? {} : { note }) },
        }));
        await schedules.noteAccepted(name, number);
        return views.show(name);
      }),
    async pause(name, note) {
      const { description } = await known(name);
      if (description.state.paused) {
        throw new Refused(`schedule "${name}" is paused already; \`dailies schedule resume ${name}\` goes on with it`);
      }
      await handleOf(name).pause(wordsOf(note, 'paused by hand'));
    },
    async resume(name, note) {
      const { description } = await known(name);
      if (!description.state.paused) throw new Refused(`schedule "${name}" is not paused`);
      await handleOf(name).unpause(wordsOf(note, 'resumed by hand'));
    },
    async planRun(name, quotes) {
      const { version } = await known(name);
      const quote = await runQuote(store, version.frozen.template, quotes);
      return { schedule: name, version: version.number, quote };
    },
    async trigger(name, planned) {
      const { description } = await known(name, planned);
      return triggerRun({ temporal, store }, inputOf(description.action), startOptions);
    },
    async again(name, productionId) {
      await renderAgain(store, account, { schedule: name, productionId }, renders);
    },
    async planBackfill(name, request, quotes) {
      const { version, description } = await known(name);
      const schedule = { name, timing: version.timing, paused: description.state.paused };
      const parts = { temporal, storeId: store.id, runs: store.runs };
      const { due, had } = await findTimes(parts, handleOf(name), schedule, request);
      const quote = manyTimes(await runQuote(store, version.frozen.template, quotes), due - had);
      return { schedule: name, version: version.number, due, had, quote };
    },
    async backfill(name, request, planned) {
      const { version, description } = await known(name, planned);
      const { paused } = description.state;
      return backfill(temporal, store, handleOf(name), { name, timing: version.timing, paused }, request);
    },
    async delete(name) {
      const isName = ID_PATTERN.test(name);
      const [last, found] = isName ? [await schedules.last(name), await describe(name)] : [];
      const isInUse = last?.deleted === false;
      if (!isInUse && found === undefined) throw unknownSchedule(name, await schedules.names());
      // The schedule in Temporal names the account that pays for its runs, even if the store has no record.
      const payer = found === undefined ? last?.account : inputOf(found.action).account;
      if (payer !== undefined && payer !== account) throw foreignSchedule(name, payer, account);
      await ifThere(handleOf(name).delete());
      if (isInUse) await schedules.append(name, { ...last, at: now(), deleted: true });
    },
  };
}

/** The server ignores a pause or resume without a note, and reports no error. */
function wordsOf(note: string | undefined, otherwise: string): string {
  return note === undefined || note.trim() === '' ? otherwise : note;
}

function now(): string {
  return new Date().toISOString();
}
