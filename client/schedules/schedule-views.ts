import { type ScheduleDescription } from '@temporalio/client';
import { ID_PATTERN, runProductionId } from '../../contracts/identifiers';
import { type ProductionStatus } from '../../contracts/status';
import { type PriceTable } from '../../contracts/price-table';
import { type Store } from '../../store';
import { storedStatus } from '../status/stored-status';
import { lastRuns } from './list-runs';
import { inputOf } from './schedule-action';
import { createScheduleRecords, type NumberedVersion } from '../records/schedule-records';
import { type ScheduleView, scheduleView, timeOfRun } from './schedule-view';
import { otherAccounts, unknownSchedule } from './unknown-schedule';

/** Reads the schedules of an account. Changes nothing. */
export interface ScheduleViews {
  list(): Promise<readonly ScheduleView[]>;
  /** @throws Refused if the schedule does not exist or belongs to another account. */
  show(name: string): Promise<ScheduleView>;
  /**
   * The version in force. A change that never reached Temporal does not count.
   *
   * @returns no description if Temporal does not know the schedule.
   * @throws Refused as `show`
   */
  standing(name: string): Promise<Standing>;
}

export interface Standing {
  readonly version: NumberedVersion;
  readonly description: ScheduleDescription | undefined;
}

export interface ScheduleViewsOptions {
  readonly store: Store;
  readonly account: string;
  /** Undefined if Temporal does not know it. */
  readonly describe: (name: string) => Promise<ScheduleDescription | undefined>;
  readonly status: (productionId: string) => Promise<ProductionStatus | undefined>;
  /** Why a run does not begin, by the workflow that the schedule has started. */
  readonly trouble: (workflowId: string) => Promise<string | undefined>;
}

export function createScheduleViews({
  store,
  account,
  describe,
  status,
  trouble,
}: ScheduleViewsOptions): ScheduleViews {
  const records = createScheduleRecords(store.records);

  async function standing(name: string): Promise<Standing> {
    const last = ID_PATTERN.test(name) ? await records.last(name) : undefined;
    if (last === undefined || last.deleted) throw unknownSchedule(name, await records.names());
    if (last.account !== account) throw otherAccounts(name, last.account, account);
    const description = await describe(name);
    if (description === undefined) return { version: last, description };
    return { version: (await records.version(name, inputOf(description.action).version)) ?? last, description };
  }
  async function show(name: string): Promise<ScheduleView> {
    const { version, description } = await standing(name);
    const underWay = await Promise.all(
      (description?.info.runningActions ?? []).map(async ({ workflow: { workflowId } }) => ({
        production: runProductionId(name, timeOfRun(workflowId), 'schedule'),
        reason: (await trouble(workflowId)) ?? null,
      })),
    );
    return scheduleView(name, version, description, { underWay, runs: await lastRuns(store, name, status) });
  }

  return {
    standing,
    show,
    async list() {
      const names = (await records.names()).toSorted();
      const versions = await Promise.all(names.map((name) => records.last(name)));
      return Promise.all(names.filter((_name, index) => versions[index]?.account === account).map(show));
    },
  };
}

/** Schedule views from the store only, for when Temporal is not running. They have no future times. */
export function storedSchedules(store: Store, account: string, prices: PriceTable): ScheduleViews {
  return createScheduleViews({
    store,
    account,
    describe: () => Promise.resolve(undefined),
    status: (productionId) => storedStatus(store, account, productionId, prices),
    trouble: () => Promise.resolve(undefined),
  });
}
