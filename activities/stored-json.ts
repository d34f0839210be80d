import { type AssetRef } from '../contracts/asset';
import { readJson, type Store } from '../store';
import { failure } from './fail';

/** How messages name an asset that the runs of a schedule need. */
export const OF_SCHEDULE = 'a file that the schedule needs';

/** Checks that an asset is in the store. @param what names the asset in the message. @throws AssetMissing (final) */
export async function checkThere({ assets, name }: Store, asset: AssetRef, what: string): Promise<void> {
  if (await assets.has(asset)) return;
  throw failure('AssetMissing', `${what}, asset ${asset.sha256}, is not in the store ${name}`);
}

/** Reads JSON that our own client or an activity stored; the caller knows its type. @throws AssetMissing (final) */
export async function storedJson(store: Store, asset: AssetRef, what: string): Promise<unknown> {
  await checkThere(store, asset, what);
  return readJson(store.assets, asset);
}
