import { type FrozenProduction } from '../../contracts/render/frozen';
import { type ProductionPlan } from '../../contracts/render/plan';
import { type Fallback, type FallbackShot } from '../../contracts/render/plan';
import { type RunValues } from '../../contracts/file/run-values';
import { shotDigest, type Store } from '../../store';
import { fillProduction } from './fill-production';
import { OF_SCHEDULE, storedJson } from '../stored-json';

/**
 * Fills in the variables of the shots in a template's fallback. Returns the template's plan with the filled fallback,
 * or unchanged if there is no fallback.
 *
 * @throws AssetMissing (final)
 */
export async function withFallbackFilled(
  store: Store,
  { production, plan }: { readonly production: FrozenProduction; readonly plan: ProductionPlan },
  id: string,
  values: RunValues,
): Promise<ProductionPlan> {
  const { readyBy } = plan;
  const asset = readyBy?.fallback;
  if (readyBy === undefined || asset === undefined) return plan;
  const { shots, ...rest } = (await storedJson(store, asset, OF_SCHEDULE)) as Fallback;
  const written = { ...production, shots: shots.map(({ shot }) => shot) };
  const filled = fillProduction(written, id, values).shots.flatMap((shot, index): FallbackShot[] => {
    const planned = shots[index]?.planned;
    return planned === undefined ? [] : [{ shot, planned: { ...planned, digest: shotDigest(shot) } }];
  });
  return { ...plan, readyBy: { ...readyBy, fallback: await store.putJson({ ...rest, shots: filled }) } };
}
