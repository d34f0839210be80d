import { type Store } from '../../store';
import { createScheduleRecords } from './schedule-records';

/** Hashes of what the schedules of a store name: their next runs are rendered of it. */
export async function scheduledAssets({ records }: Pick<Store, 'records'>): Promise<readonly string[]> {
  const schedules = createScheduleRecords(records);
  const versions = await Promise.all((await schedules.names()).map((name) => schedules.last(name)));
  return versions.flatMap((version) => (version === undefined ? [] : version.frozen.files.map(({ sha256 }) => sha256)));
}
