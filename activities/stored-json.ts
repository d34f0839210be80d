import { type AssetRef } from '../contracts/asset';
import { readJson, type Store } from '../store';
import { failure } from './fail';

/** A schedule's contents, in messages. */
export const OF_SCHEDULE = 'what the schedule was made of';

/** @param what it is, in words for a person. @throws AssetMissing (final) */
export async function checkThere({ assets, name }: Store, asset: AssetRef, what: string): Promise<void> {
  if (await assets.has(asset)) return;
  throw failure('AssetMissing', `${what}, asset ${asset.sha256}, is not in the store ${name}`);
}

/** Reads JSON that our own client or an activity stored; the reader names its type. @throws AssetMissing (final) */
export async function storedJson(store: Store, asset: AssetRef, what: string): Promise<unknown> {
  await checkThere(store, asset, what);
  return readJson(store.assets, asset);
}
