import { createHash } from 'node:crypto';
import { type AssetRef } from '../../contracts/asset';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type Fallback, type FallbackShot } from '../../contracts/render/plan';
import { type CheckedProduction } from '../production-file/checked-production';
import { planOf, replanned } from './plan-of';

/**
 * The shots that the fallback changes; undefined if the file has no fallback.
 *
 * @param lowered the frozen production with the fallback applied.
 */
export function fallbackOf(
  checked: CheckedProduction,
  written: FrozenProduction,
  lowered: FrozenProduction,
): Fallback | undefined {
  if (checked.fallback === undefined) return undefined;
  const takes = new Map(checked.fallback.map((shot) => [shot.id, shot.takes]));
  const { shots } = planOf(checked, { written, frozen: written, directed: new Set() });
  return {
    version: 1,
    shots: written.shots.flatMap((before, index): FallbackShot[] => {
      const [shot, planned] = [lowered.shots[index], shots[index]];
      if (shot === undefined || planned === undefined) return [];
      const changed = { ...replanned(planned, before, shot), takes: takes.get(shot.id) ?? planned.takes };
      const isSame = changed.digest === planned.digest && changed.takes === planned.takes;
      return isSame ? [] : [{ shot, planned: changed }];
    }),
  };
}

/** The asset that the store's `putJson` would make of a value. Stores nothing. */
export function assetOfJson(value: unknown): AssetRef {
  const bytes = Buffer.from(JSON.stringify(value));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const none = { durationSeconds: null, width: null, height: null };
  return { sha256, sizeBytes: bytes.length, mediaType: 'application/json', ...none };
}
