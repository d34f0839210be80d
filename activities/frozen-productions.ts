import { type AssetRef } from '../contracts/asset';
import { FrozenProduction, type FrozenShot } from '../contracts/render/frozen';
import { type Store } from '../store';
import { failure } from './fail';
import { storedJson } from './stored-json';

/** Number of parsed productions that a worker keeps in memory. */
const KEPT = 32;

export interface FrozenProductions {
  /** @throws AssetMissing (final). */
  load(production: AssetRef): Promise<FrozenProduction>;
  shot(production: AssetRef, shotId: string): Promise<FrozenShot>;
}

/** Loads frozen productions from the store, and caches the last `KEPT`. */
export function createFrozenProductions(store: Store): FrozenProductions {
  const kept = new Map<string, Promise<FrozenProduction>>();

  async function read(production: AssetRef): Promise<FrozenProduction> {
    return FrozenProduction.parse(await storedJson(store, production, 'the frozen production'));
  }

  function load(production: AssetRef): Promise<FrozenProduction> {
    const known = kept.get(production.sha256);
    if (known !== undefined) return known;
    const reading = read(production);
    kept.set(production.sha256, reading);
    reading.catch(() => kept.delete(production.sha256));
    const oldest = kept.keys().next().value;
    if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
    return reading;
  }

  return {
    load,
    async shot(production, shotId) {
      const shot = (await load(production)).shots.find(({ id }) => id === shotId);
      if (shot === undefined) throw failure('AssetMissing', `the frozen production has no shot "${shotId}"`);
      return shot;
    },
  };
}
