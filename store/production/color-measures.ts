import { type AssetRef } from '../../contracts/asset';
import { ColorMeasures } from '../../contracts/render/color';
import { type Assets } from '../assets';
import { ifReadable, type Records } from '../records';

type AssetHash = Pick<AssetRef, 'sha256'>;

/** Color measures of assets. */
export interface Measures {
  /** The stored measures; undefined if there are none, or if their record is unreadable. */
  kept(asset: AssetHash): Promise<ColorMeasures | undefined>;
  /**
   * Returns the stored measures, or measures the asset and stores the result. Concurrent calls of this process share
   * one measurement; if it fails, each of the others measures for itself.
   *
   * @throws any error of `measure` and of the store.
   */
  once(asset: AssetHash, measure: (path: string) => Promise<ColorMeasures>): Promise<ColorMeasures>;
}

export function createMeasures(records: Records, assets: Assets): Measures {
  const keyOf = ({ sha256 }: AssetHash): string => `measures/${sha256}`;
  /** Measurements in progress, by hash. */
  const underWay = new Map<string, Promise<ColorMeasures>>();
  const kept = async (asset: AssetHash): Promise<ColorMeasures | undefined> =>
    ColorMeasures.safeParse((await ifReadable(() => records.read(keyOf(asset))))?.value).data;
  return {
    kept,
    async once(asset, measure) {
      const stored = await kept(asset);
      if (stored !== undefined) return stored;
      // If the concurrent call fails, for example because it is aborted, this call measures.
      const shared = await underWay.get(asset.sha256)?.catch(() => undefined);
      if (shared !== undefined) return shared;
      const measuring = assets.withLocalFile(asset, measure);
      underWay.set(asset.sha256, measuring);
      try {
        const measures = await measuring;
        await records.replace(keyOf(asset), measures);
        return measures;
      } finally {
        if (underWay.get(asset.sha256) === measuring) underWay.delete(asset.sha256);
      }
    },
  };
}
