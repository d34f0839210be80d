import { type AssetRef } from '../contracts/asset';
import { ColorMeasures } from '../contracts/color';
import { type Store } from './store';

type MeasuredStore = Pick<Store, 'assets' | 'records'>;

/** The stored color measures of an asset; undefined if it was never measured. */
export async function keptMeasures(
  { records }: Pick<Store, 'records'>,
  { sha256 }: Pick<AssetRef, 'sha256'>,
): Promise<ColorMeasures | undefined> {
  return ColorMeasures.safeParse(await records.read(recordKey(sha256))).data;
}

/** Measurements in progress, by path. Callers of the same measurement share one. */
const underWay = new Map<string, Promise<ColorMeasures>>();

/** An asset's color measures. They are measured once and stored. Throws what `measure` throws. */
export async function measuredOnce(
  store: MeasuredStore,
  asset: Pick<AssetRef, 'sha256'>,
  measure: (path: string) => Promise<ColorMeasures>,
): Promise<ColorMeasures> {
  const kept = await keptMeasures(store, asset);
  if (kept !== undefined) return kept;
  const path = store.assets.localPath(asset);
  const begun = underWay.get(path);
  // The caller that measures may be aborted. Then this one measures.
  const shared = await begun?.catch(() => undefined);
  if (shared !== undefined) return shared;
  const measuring = measure(path);
  underWay.set(path, measuring);
  try {
    const measures = await measuring;
    await store.records.replace(recordKey(asset.sha256), measures);
    return measures;
  } finally {
    if (underWay.get(path) === measuring) underWay.delete(path);
  }
}

function recordKey(sha256: string): string {
  return `measures/${sha256}`;
}
