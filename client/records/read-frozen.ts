import { readFile } from 'node:fs/promises';
import { type AssetRef } from '../../contracts/asset';
import { FrozenProduction } from '../../contracts/frozen';
import { type Assets, canonicalJson } from '../../store';

/** Reads a frozen production from the store. Throws if it is missing. */
export async function readFrozen(assets: Assets, frozen: AssetRef): Promise<FrozenProduction> {
  return FrozenProduction.parse(JSON.parse(await readFile(assets.localPath(frozen), 'utf8')));
}

/**
 * Whether two productions are equal regardless of the order of their fields, since directions and files freeze them in
 * different orders. False if a stored one is missing.
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
  return canonicalJson(await readFrozen(assets, one)) === canonicalJson(compared);
}
