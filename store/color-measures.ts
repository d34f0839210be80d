import { type AssetRef } from '../contracts/asset';
import { ColorMeasures } from '../contracts/color';
import { type Store } from './store';

type MeasuredStore = Pick<Store, 'assets' | 'records'>;

/** What an asset was measured at; undefined where nobody has measured it. */
export async function keptMeasures(
  { records }: Pick<Store, 'records'>,
  { sha256 }: Pick<AssetRef, 'sha256'>,
): Promise<ColorMeasures | undefined> {
  return ColorMeasures.safeParse(await records.read(recordKey(sha256))).data;
}

/** An asset's measures, which are taken once and kept. Throws what `measure` throws. */
export async function measuredOnce(
  store: MeasuredStore,
  asset: Pick<AssetRef, 'sha256'>,
  measure: (path: string) => Promise<ColorMeasures>,
): Promise<ColorMeasures> {
  const kept = await keptMeasures(store, asset);
  if (kept !== undefined) return kept;
  const measures = await measure(store.assets.localPath(asset));
  await store.records.replace(recordKey(asset.sha256), measures);
  return measures;
}

function recordKey(sha256: string): string {
  return `measures/${sha256}`;
}
