import { type ScheduleDescription } from '@temporalio/client';
import { ID_PATTERN, runProductionId } from '../../contracts/identifiers';
import { type ProductionStatus } from '../../contracts/status';
import { type PriceTable } from '../../contracts/money/price-table';
import { type NumberedVersion, type Store } from '../../store';
import { storedStatus } from '../status/stored-status';
import { lastRuns } from './list-runs';
import { inputOf } from './schedule-action';
import { type ScheduleView, scheduleView, timeOfRun } from './schedule-view';
import { foreignSchedule, unknownSchedule } from './unknown-schedule';

/** Reads the schedules of an account. Changes nothing. */
export interface ScheduleViews {
  list(): Promise<readonly ScheduleView[]>;
  /** @throws Refused if the schedule does not exist or belongs to another account. */
  show(name: string): Promise<ScheduleView>;
  /**
   * The version that Temporal has of a schedule. The store may have a later version that never reached Temporal.
   *
   * @returns the store's last version and no description if Temporal does not know the schedule.
   * @throws Refused, as `show` does.
   */
  inForce(name: string): Promise<ScheduleInForce>;
}

export interface ScheduleInForce {
  readonly version: NumberedVersion;
  readonly description: ScheduleDescription | undefined;
}

export interface ScheduleViewsOptions {
  readonly store: Store;
  readonly account: string;
  /** Reads a schedule from Temporal; undefined if Temporal does not know the schedule. */
  readonly describe: (name: string) => Promise<ScheduleDescription | undefined>;
  readonly status: (productionId: string) => Promise<ProductionStatus | undefined>;
  /** Reads the failure that prevents a workflow of the schedule from beginning its run; undefined if none is known. */
  readonly trouble: (workflowId: string) => Promise<string | undefined>;
}

export function createScheduleViews({
  store,
  account,
  describe,
  status,
  trouble,
}: ScheduleViewsOptions): ScheduleViews {
  const { schedules } = store;

  async function inForce(name: string): Promise<ScheduleInForce> {
    const last = ID_PATTERN.test(name) ? await schedules.last(name) : undefined;
    if (last === undefined || last.deleted) throw unknownSchedule(name, await schedules.names());
    if (last.account !== account) throw foreignSchedule(name, last.account, account);
    const description = await describe(name);
    if (description === undefined) return { version: last, description };
    return { version: (await schedules.version(name, inputOf(description.action).version)) ?? last, description };
  }
  async function show(name: string): Promise<ScheduleView> {
    const { version, description } = await inForce(name);
    const underWay = await Promise.all(
      (description?.info.runningActions ?? []).map(async ({ workflow: { workflowId } }) => ({
        production: runProductionId(name, timeOfRun(workflowId), 'schedule'),
        reason: (await trouble(workflowId)) ?? null,
      })),
    );
    return scheduleView(name, version, description, { underWay, runs: await lastRuns(store, name, status) });
  }

  return {
    inForce,
    show,
    async list() {
      const names = (await schedules.names()).toSorted();
      const versions = await Promise.all(names.map((name) => schedules.last(name)));
      return Promise.all(names.filter((_name, index) => versions[index]?.account === account).map(show));
    },
  };
}

/** Schedule views from the store only, for when Temporal is not running. Future times are absent. */
export function storedSchedules(store: Store, account: string, prices: PriceTable): ScheduleViews {
  return createScheduleViews({
    store,
    account,
    describe: () => Promise.resolve(undefined),
    status: (productionId) => storedStatus(store, account, productionId, prices),
    trouble: () => Promise.resolve(undefined),
  });
}
