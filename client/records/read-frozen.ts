import { type AssetRef } from '../../contracts/asset';
import { FrozenProduction } from '../../contracts/render/frozen';
import { type Assets, canonicalJson, readJson } from '../../store';

/** For each `assets` given to `readFrozenOnce`: the productions that were read, by hash. */
const alreadyRead = new WeakMap<Assets, Map<string, Promise<FrozenProduction>>>();

/** Makes `readFrozen` parse each production only once when reading from these assets. */
export function readFrozenOnce(assets: Assets): void {
  alreadyRead.set(assets, new Map());
}

/** Reads a frozen production from the store. Throws if the production is missing or invalid. */
export async function readFrozen(assets: Assets, frozen: AssetRef): Promise<FrozenProduction> {
  const productions = alreadyRead.get(assets);
  const production = productions?.get(frozen.sha256) ?? parsed(assets, frozen);
  productions?.set(frozen.sha256, production);
  return production;
}

async function parsed(assets: Assets, frozen: AssetRef): Promise<FrozenProduction> {
  return FrozenProduction.parse(await readJson(assets, frozen));
}

/**
 * True if two productions are equal. The order of fields does not matter, because directing a production can change it.
 * False if the store has lost a production that must be read.
 */
export async function isSameProduction(
  assets: Assets,
  one: AssetRef,
  other: AssetRef | FrozenProduction,
): Promise<boolean> {
  const isStored = 'sha256' in other;
  if (isStored && one.sha256 === other.sha256) return true;
  if (!(await assets.has(one)) || (isStored && !(await assets.has(other)))) return false;
  const compared = isStored ? await readFrozen(assets, other) : other;
  const read = await readFrozen(assets, one);
  return read === compared || canonicalJson(read) === canonicalJson(compared);
}
