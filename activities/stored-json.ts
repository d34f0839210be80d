import { buffer } from 'node:stream/consumers';
import { type AssetRef } from '../contracts/asset';
import { type Store } from '../store';
import { failure } from './fail';

/** A schedule's contents, in messages. */
export const OF_SCHEDULE = 'what the schedule was made of';

/** @param what it is, in words for a person. @throws AssetMissing (final) */
export async function checkThere({ assets, folder }: Store, asset: AssetRef, what: string): Promise<void> {
  if (await assets.has(asset)) return;
  throw failure('AssetMissing', `${what}, asset ${asset.sha256}, is not in the store ${folder}`);
}

/** Reads JSON that our own client or an activity stored; the reader names its type. @throws AssetMissing (final) */
export async function storedJson(store: Store, asset: AssetRef, what: string): Promise<unknown> {
  await checkThere(store, asset, what);
  return JSON.parse((await buffer(store.assets.open(asset))).toString('utf8'));
}
