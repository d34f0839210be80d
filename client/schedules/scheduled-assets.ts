import { type Store } from '../../store';
import { createScheduleRecords } from './schedule-records';

/** Hashes of what the schedules of a store name: their next runs are rendered of it. */
export async function scheduledAssets({ records }: Pick<Store, 'records'>): Promise<readonly string[]> {
  const schedules = createScheduleRecords(records);
  const versions = await Promise.all((await schedules.names()).map((name) => schedules.open(name)));
  return versions.flat().flatMap(({ frozen }) => frozen.files.map(({ sha256 }) => sha256));
}
