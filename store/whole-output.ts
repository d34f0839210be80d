import { type Assets } from './assets';
import { type Output } from './ledger-records';

/** Whether all that a take left is still there. Bytes that went missing are collected anew, at no cost. */
export async function isWhole(assets: Assets, { asset, firstFrame, lastFrame }: Output): Promise<boolean> {
  if (asset.mediaType.startsWith('video/') && lastFrame === null) return false;
  const left = [asset, firstFrame, lastFrame?.asset].filter((one) => one != null);
  return (await Promise.all(left.map((one) => assets.has(one)))).every(Boolean);
}
