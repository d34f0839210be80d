import { readFile } from 'node:fs/promises';
import { type AssetRef } from '../contracts/asset';
import { FrozenProduction } from '../contracts/frozen';
import { type Assets } from '../store';

/** The production that was frozen into the store as this asset. Throws where it is not there. */
export async function readFrozen(assets: Assets, frozen: AssetRef): Promise<FrozenProduction> {
  return FrozenProduction.parse(JSON.parse(await readFile(assets.localPath(frozen), 'utf8')));
}
