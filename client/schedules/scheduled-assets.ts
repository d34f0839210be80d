import { type Store } from '../../store';
import { createScheduleRecords } from '../records/schedule-records';

/** Hashes of the files that the store's schedules need for their next runs. */
export async function scheduledAssets({ records }: Pick<Store, 'records'>): Promise<readonly string[]> {
  const schedules = createScheduleRecords(records);
  const versions = await Promise.all((await schedules.names()).map((name) => schedules.open(name)));
  return versions.flat().flatMap(({ frozen }) => frozen.files.map(({ sha256 }) => sha256));
}
