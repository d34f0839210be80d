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

export interface SchedulesOptions {
  readonly temporal: Client;
  readonly store: Store;
  readonly account: string;
  readonly startOptions: StartOptions;
  readonly renders: Pick<Renders, 'render'>;
  /** The status from Temporal or else from the store. */
  readonly status: (productionId: string) => Promise<ProductionStatus | undefined>;
}

/** Failure types that `show` does not report as troubles: the workflow only waits for the run of another workflow. */
const WAITS: ReadonlySet<string> = new Set(['RunUnderWay']);

/**
 * Productions and batches that start at given times. If the current state does not allow a call, the method throws
 * Refused and changes nothing.
 */
export class Schedules {
  readonly #temporal: Client;
  readonly #store: Store;
  readonly #account: string;
  readonly #startOptions: StartOptions;
  readonly #renders: Pick<Renders, 'render'>;
  readonly #views: ScheduleViews;

  constructor({ temporal, store, account, startOptions, renders, status }: SchedulesOptions) {
    this.#temporal = temporal;
    this.#store = store;
    this.#account = account;
    this.#startOptions = startOptions;
    this.#renders = renders;
    this.#views = createScheduleViews({
      store,
      account,
      describe: (name) => this.#describe(name),
      status,
      trouble: (id) => retriedFailure(temporal.workflow.getHandle(id), WAITS),
    });
  }

  list(): Promise<readonly ScheduleView[]> {
    return this.#views.list();
  }

  /** @throws Refused if the schedule does not exist or belongs to another account. */
  show(name: string): Promise<ScheduleView> {
    return this.#views.show(name);
  }

  create(
    name: string,
    { template, note, out, ...written }: ScheduleChange & { readonly template: CheckedTemplate },
  ): Promise<ScheduleView> {
    return closingTemplate(template, async () => {
      checkScheduleName(name);
      const timing = readTiming(written);
      await this.#refuseTaken(name);
      await this.#refuseSharedFolder(name, out);
      const converted = await convertTiming(this.#temporal, { storeId: this.#store.id, name }, timing);
      const frozen = await freezeTemplate(name, template, this.#store, this.#account);
      const { number, action } = await this.#intend(name, timing, frozen, out);
      const state = { paused: false, ...(note === undefined ? {} : { note }) };
      try {
        const id = scheduleId(this.#store.id, name);
        await this.#temporal.schedule.create({ scheduleId: id, ...converted, action, state });
      } catch (error) {
        // If Temporal does not answer, keep the record, because the schedule may exist.
        const isThere = await this.#describe(name).then(
          (found) => found !== undefined,
          () => true,
        );
        const { schedules } = this.#store;
        if (!isThere)
          await schedules.append(name, { account: this.#account, timing, frozen, at: now(), deleted: true });
        throw error instanceof ScheduleAlreadyRunning ? takenSchedule(name) : error;
      }
      await this.#store.schedules.noteAccepted(name, number);
      return this.#views.show(name);
    });
  }

  /** Omitted options keep their values. Runs that have begun do not change. */
  update(name: string, { template, note, out, ...written }: ScheduleChange): Promise<ScheduleView> {
    return closingTemplate(template, async () => {
      const { version } = await this.#known(name);
      await this.#refuseSharedFolder(name, out);
      const timing = readTiming(written, version.timing);
      const converted = await convertTiming(this.#temporal, { storeId: this.#store.id, name }, timing);
      const frozen =
        template === undefined ? version.frozen : await freezeTemplate(name, template, this.#store, this.#account);
      const { number, action } = await this.#intend(name, timing, frozen, out ?? version.out);
      await this.#handleOf(name).update(({ state, ...before }) => ({
        ...before,
        ...converted,
        action,
        state: { ...state, ...(note === undefined ? {} : { note }) },
      }));
      await this.#store.schedules.noteAccepted(name, number);
      return this.#views.show(name);
    });
  }

  /** A paused schedule begins no scheduled or backfilled runs. Runs in progress continue. */
  async pause(name: string, note?: string): Promise<void> {
    const { description } = await this.#known(name);
    if (description.state.paused) {
      throw new Refused(`schedule "${name}" is paused already; \`dailies schedule resume ${name}\` goes on with it`);
    }
    await this.#handleOf(name).pause(wordsOf(note, 'paused by hand'));
  }

  async resume(name: string, note?: string): Promise<void> {
    const { description } = await this.#known(name);
    if (!description.state.paused) throw new Refused(`schedule "${name}" is not paused`);
    await this.#handleOf(name).unpause(wordsOf(note, 'resumed by hand'));
  }

  /** Plans the run that `trigger` would begin, and its price. Begins nothing. */
  async planRun(name: string, quotes: Quotes): Promise<RunPlan> {
    const { version } = await this.#known(name);
    const quote = await runQuote(this.#store, version.frozen.template, quotes);
    return { schedule: name, version: version.number, quote };
  }

  /**
   * Begins a run by hand, independent of the schedule's times.
   *
   * @param planned the version of the schedule that a person has agreed to. Default: the version in force.
   * @returns the id of the run's production or batch.
   * @throws Refused as `show` does, or if Temporal does not have the schedule, or has another version than `planned`.
   */
  async trigger(name: string, planned?: number): Promise<string> {
    const { description } = await this.#known(name, planned);
    const parts = { temporal: this.#temporal, store: this.#store };
    return triggerRun(parts, inputOf(description.action), this.#startOptions);
  }

  /** Renders the last version of a run's production again. Failed takes may be paid for again. */
  async again(name: string, productionId: string): Promise<void> {
    await renderAgain(this.#store, this.#account, { schedule: name, productionId }, this.#renders);
  }

  /** Plans the runs that `backfill` would begin, and their price. Begins nothing. */
  async planBackfill(name: string, request: BackfillRequest, quotes: Quotes): Promise<BackfillPlan> {
    const { version, description } = await this.#known(name);
    const schedule = { name, timing: version.timing, paused: description.state.paused };
    const parts = { temporal: this.#temporal, storeId: this.#store.id, runs: this.#store.runs };
    const { due, had } = await findTimes(parts, this.#handleOf(name), schedule, request);
    const quote = manyTimes(await runQuote(this.#store, version.frozen.template, quotes), due - had);
    return { schedule: name, version: version.number, due, had, quote };
  }

  /**
   * Begins the runs of past times. Runs that have already begun are not paid for again.
   *
   * @param planned as in `trigger`.
   */
  async backfill(name: string, request: BackfillRequest, planned?: number): Promise<Backfill> {
    const { version, description } = await this.#known(name, planned);
    const schedule = { name, timing: version.timing, paused: description.state.paused };
    return backfill(this.#temporal, this.#store, this.#handleOf(name), schedule, request);
  }

  /**
   * Deletes the schedule. Runs in progress continue. If the schedule is created again, times that have had a run get no
   * second run.
   */
  async delete(name: string): Promise<void> {
    const { schedules } = this.#store;
    const isName = ID_PATTERN.test(name);
    const [last, found] = isName ? [await schedules.last(name), await this.#describe(name)] : [];
    const isInUse = last?.deleted === false;
    if (!isInUse && found === undefined) throw unknownSchedule(name, await schedules.names());
    // The schedule in Temporal names the account that pays for its runs, even if the store has no record.
    const payer = found === undefined ? last?.account : inputOf(found.action).account;
    if (payer !== undefined && payer !== this.#account) throw foreignSchedule(name, payer, this.#account);
    await ifThere(this.#handleOf(name).delete());
    if (isInUse) await schedules.append(name, { ...last, at: now(), deleted: true });
  }

  /**
   * Refuses a name that is in use, or whose deleted schedule still has a run in progress. A schedule whose creation was
   * interrupted, or that Temporal has lost, can be created again.
   */
  async #refuseTaken(name: string): Promise<void> {
    const last = await this.#store.schedules.last(name);
    const isInUse = last?.deleted === false;
    if (isInUse && last.account !== this.#account) throw foreignSchedule(name, last.account, this.#account);
    if ((await this.#describe(name)) !== undefined) throw isInUse ? takenSchedule(name) : strangeSchedule(name);
    if (last !== undefined) await refuseLeftUnderWay(this.#temporal, this.#store, name);
  }

  /** Two schedules must not share a folder, because runs of the same time would have the same subfolder. */
  async #refuseSharedFolder(name: string, out: string | undefined): Promise<void> {
    if (out === undefined) return;
    const { schedules } = this.#store;
    for (const other of await schedules.names()) {
      if (other === name || (await schedules.last(other))?.out !== out) continue;
      throw new Refused(`the runs of schedule "${other}" are exported to ${out} already; name another folder by --out`);
    }
  }

  /** Records a version before Temporal has it, so that Temporal never has a schedule that the store does not know. */
  async #intend(name: string, timing: Timing, frozen: FrozenSchedule, out: string | undefined) {
    const { connection, options } = this.#temporal;
    const { id: storeId, schedules } = this.#store;
    const account = this.#account;
    const searchable = await knowsSearchAttributes(connection, options.namespace);
    const place = out === undefined ? {} : { out };
    const number = await schedules.append(name, { account, timing, frozen, ...place, at: now(), deleted: false });
    const { timezone } = timing;
    const input = { schedule: name, storeId, account, version: number, template: frozen.template, timezone };
    return { number, action: actionOf({ ...input, searchable }, this.#startOptions) };
  }

  /** @param planned the only version that is accepted. Default: the version in force. */
  async #known(
    name: string,
    planned?: number,
  ): Promise<{ version: NumberedVersion; description: ScheduleDescription }> {
    const { version, description } = await this.#views.inForce(name);
    if (description === undefined) throw lostSchedule(name, version.frozen);
    if (planned !== undefined && inputOf(description.action).version !== planned) {
      throw new Refused(`schedule "${name}" was changed meanwhile; plan again, and see what a run costs now`);
    }
    return { version, description };
  }

  #describe(name: string): Promise<ScheduleDescription | undefined> {
    return ifThere(this.#handleOf(name).describe());
  }

  #handleOf(name: string): ScheduleHandle {
    return this.#temporal.schedule.getHandle(scheduleId(this.#store.id, name));
  }
}

/** The server ignores a pause or resume without a note, and reports no error. */
function wordsOf(note: string | undefined, otherwise: string): string {
  return note === undefined || note.trim() === '' ? otherwise : note;
}

function now(): string {
  return new Date().toISOString();
}
