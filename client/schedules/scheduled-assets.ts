import { type Store } from '../../store';

/** Hashes of the files that the store's schedules need for their next runs. */
export async function scheduledAssets({ schedules }: Pick<Store, 'schedules'>): Promise<readonly string[]> {
  const versions = await Promise.all((await schedules.names()).map((name) => schedules.open(name)));
  return versions.flat().flatMap(({ frozen }) => frozen.files.map(({ sha256 }) => sha256));
}
