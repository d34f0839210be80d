import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
} from '@temporalio/client';
import { scheduleId } from '../../contracts/identifiers';
import { type ProductionStatus } from '../../contracts/status';
import { type Store } from '../../store';
import { Refused } from '../refused';
import { type Renders } from '../renders';
import { knowsSearchAttributes } from '../search-attributes';
import { type StartOptions } from '../start-options';
import { applyTiming } from './apply-timing';
import { type Backfill, backfill, type BackfillRequest } from './backfill';
import { type CheckedTemplate, closeTemplate, freezeTemplate } from './freeze-template';
import { actionOf, inputOf } from './schedule-action';
import { createScheduleRecords, type Frozen, type NumberedVersion } from './schedule-records';
import { checkScheduleName } from './schedule-name';
import { type ScheduleView } from './schedule-view';
import { createScheduleViews, type ScheduleViews } from './schedule-views';
import { readTiming, type Timing, type TimingOptions } from './timing';
import { renderAgain, triggerRun } from './trigger-run';
import { lostSchedule } from './unknown-schedule';

export interface ScheduleChange extends TimingOptions {
  readonly template?: CheckedTemplate;
  readonly note?: string;
}

/** Productions at times that a calendar names. What cannot be done as things stand throws Refused, and changes nothing. */
export interface Schedules extends Pick<ScheduleViews, 'list' | 'show'> {
  create(name: string, change: ScheduleChange & { readonly template: CheckedTemplate }): Promise<ScheduleView>;
  /** What is left out stays as it is, and so do the runs that were begun. */
  update(name: string, change: ScheduleChange): Promise<ScheduleView>;
  /** Begins nothing at its times; what is under way goes on. */
  pause(name: string, note?: string): Promise<void>;
  resume(name: string, note?: string): Promise<void>;
  /** Begins a run by hand, beside the schedule. @returns its production's id. */
  trigger(name: string): Promise<string>;
  /** Renders a run once more, of what was frozen for it: what failed may be paid for again. */
  again(name: string, productionId: string): Promise<void>;
  /** Begins the runs of times that have passed; one that was begun before is found, and paid for by nobody. */
  backfill(name: string, request: BackfillRequest): Promise<Backfill>;
  /** Ends it. What is under way goes on, and times that have run do not run again. */
  delete(name: string): Promise<void>;
}

export interface SchedulesOptions {
  readonly temporal: Client;
  readonly store: Store;
  readonly account: string;
  readonly startOptions: StartOptions;
  readonly renders: Pick<Renders, 'render'>;
  /** By Temporal's account or else the store's. */
  readonly status: (productionId: string) => Promise<ProductionStatus | undefined>;
}

export function createSchedules({
  temporal,
  store,
  account,
  startOptions,
  renders,
  status,
}: SchedulesOptions): Schedules {
  const records = createScheduleRecords(store.records);
  const handleOf = (name: string): ScheduleHandle => temporal.schedule.getHandle(scheduleId(store.id, name));

  const describe = (name: string): Promise<ScheduleDescription | undefined> => ifThere(handleOf(name).describe());
  const views = createScheduleViews({ store, account, describe, status });

  async function known(name: string): Promise<{ version: NumberedVersion; description: ScheduleDescription }> {
    const version = await views.version(name);
    const description = await describe(name);
    if (description === undefined) throw lostSchedule(name);
    return { version, description };
  }

  async function actionFor(name: string, { timezone }: Timing, { template }: Frozen) {
    const searchable = await knowsSearchAttributes(temporal.connection, temporal.options.namespace);
    return actionOf({ schedule: name, storeId: store.id, account, template, timezone, searchable }, startOptions);
  }

  /** Puts a checked file into the store, and removes what its check has set aside. */
  async function frozenOf(name: string, template: CheckedTemplate): Promise<Frozen> {
    try {
      return await freezeTemplate(name, template, store, account);
    } finally {
      await closeTemplate(template);
    }
  }

  return {
    list: () => views.list(),
    show: (name) => views.show(name),
    async create(name, { template, note, ...written }) {
      checkScheduleName(name);
      const timing = readTiming(written);
      const handle = handleOf(name);
      const last = await records.last(name);
      if (last?.deleted === false || (await describe(name)) !== undefined) {
        await closeTemplate(template);
        throw taken(name);
      }
      const frozen = await frozenOf(name, template);
      const action = await actionFor(name, timing, frozen);
      const state = { paused: false, ...(note === undefined ? {} : { note }) };
      await applyTiming(
        handle,
        timing,
        (times) => temporal.schedule.create({ scheduleId: handle.scheduleId, ...times, action, state }),
        () => handle.delete(),
      ).catch((error: unknown) => {
        throw error instanceof ScheduleAlreadyRunning ? taken(name) : error;
      });
      await records.append(name, { account, timing, frozen, at: now(), deleted: false });
      return views.show(name);
    },
    async update(name, { template, note, ...written }) {
      const { version, description } = await known(name);
      const timing = readTiming(written, version.timing);
      const frozen = template === undefined ? version.frozen : await frozenOf(name, template);
      const action = await actionFor(name, timing, frozen);
      const handle = handleOf(name);
      await applyTiming(
        handle,
        timing,
        (times) =>
          handle.update(({ state, ...before }) => ({
            ...before,
            ...times,
            action,
            state: { ...state, ...(note === undefined ? {} : { note }) },
          })),
        () => handle.update(() => description),
      );
      await records.append(name, { account, timing, frozen, at: now(), deleted: false });
      return views.show(name);
    },
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
    async trigger(name) {
      const { description } = await known(name);
      return triggerRun(temporal, inputOf(description.action), startOptions);
    },
    async again(name, productionId) {
      await views.version(name);
      await renderAgain(store, name, productionId, renders);
    },
    async backfill(name, request) {
      const { version } = await known(name);
      return backfill(temporal, store, handleOf(name), { name, timing: version.timing }, request);
    },
    async delete(name) {
      const { timing, frozen } = await views.version(name);
      await ifThere(handleOf(name).delete());
      await records.append(name, { account, timing, frozen, at: now(), deleted: true });
    },
  };
}

/** Without a word the server neither pauses nor resumes, and does not say so. */
function wordsOf(note: string | undefined, otherwise: string): string {
  return note === undefined || note.trim() === '' ? otherwise : note;
}

function taken(name: string): Refused {
  return new Refused(
    `there is a schedule "${name}"; \`dailies schedule update ${name}\` changes it, or choose another name`,
  );
}

async function ifThere<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}

function now(): string {
  return new Date().toISOString();
}
