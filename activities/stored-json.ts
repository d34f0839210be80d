import { buffer } from 'node:stream/consumers';
import { type AssetRef } from '../contracts/asset';
import { type Store } from '../store';
import { failure } from './fail';

/** How what a schedule was made of is called. */
export const OF_SCHEDULE = 'what the schedule was made of';

/** @param what it is, in words for a person. @throws AssetMissing (final) */
export async function checkThere({ assets, folder }: Store, asset: AssetRef, what: string): Promise<void> {
  if (await assets.has(asset)) return;
  throw failure('AssetMissing', `${what}, asset ${asset.sha256}, is not in the store ${folder}`);
}

/** What our own client or an activity has put into the store, from the type that the reader names. @throws AssetMissing (final) */
export async function storedJson(store: Store, asset: AssetRef, what: string): Promise<unknown> {
  await checkThere(store, asset, what);
  return JSON.parse((await buffer(store.assets.open(asset))).toString('utf8'));
}
