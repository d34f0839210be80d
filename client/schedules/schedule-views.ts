import { type ScheduleDescription } from '@temporalio/client';
import { ID_PATTERN } from '../../contracts/identifiers';
import { type ProductionStatus } from '../../contracts/status';
import { type Store } from '../../store';
import { Refused } from '../refused';
import { storedStatus } from '../stored-status';
import { lastRuns } from './list-runs';
import { createScheduleRecords, type NumberedVersion } from './schedule-records';
import { type ScheduleView, scheduleView } from './schedule-view';
import { unknownSchedule } from './unknown-schedule';

/** Looks at the schedules of an account; changes nothing. */
export interface ScheduleViews {
  list(): Promise<readonly ScheduleView[]>;
  /** @throws Refused for a schedule that is not there, or that another account pays for. */
  show(name: string): Promise<ScheduleView>;
  /** As it was made or updated last. @throws Refused as `show` */
  version(name: string): Promise<NumberedVersion>;
}

export interface ScheduleViewsOptions {
  readonly store: Store;
  readonly account: string;
  /** Undefined where Temporal does not know it. */
  readonly describe: (name: string) => Promise<ScheduleDescription | undefined>;
  readonly status: (productionId: string) => Promise<ProductionStatus | undefined>;
}

export function createScheduleViews({ store, account, describe, status }: ScheduleViewsOptions): ScheduleViews {
  const records = createScheduleRecords(store.records);

  async function version(name: string): Promise<NumberedVersion> {
    const last = ID_PATTERN.test(name) ? await records.last(name) : undefined;
    if (last === undefined || last.deleted) throw unknownSchedule(name, await records.names());
    if (last.account === account) return last;
    throw new Refused(`schedule "${name}" is paid for by the account ${last.account}, and this is ${account}`);
  }
  async function show(name: string): Promise<ScheduleView> {
    return scheduleView(name, await version(name), await describe(name), await lastRuns(store, name, status));
  }

  return {
    version,
    show,
    async list() {
      const names = (await records.names()).toSorted();
      const versions = await Promise.all(names.map((name) => records.last(name)));
      return Promise.all(names.filter((_name, index) => versions[index]?.account === account).map(show));
    },
  };
}

/** The same for when Temporal does not run: the store knows files, rules and runs, and no times to come. */
export function storedSchedules(store: Store, account: string): ScheduleViews {
  return createScheduleViews({
    store,
    account,
    describe: () => Promise.resolve(undefined),
    status: (productionId) => storedStatus(store, account, productionId),
  });
}
