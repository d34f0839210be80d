import { type Assets } from './assets';
import { type Output } from './ledger-records';
import { type TakeHistory } from './take-history';

/** True if everything that a take left is still in the store. Missing bytes are collected again at no cost. */
export async function isWhole(assets: Assets, { asset, firstFrame, lastFrame }: Output): Promise<boolean> {
  if (asset.mediaType.startsWith('video/') && lastFrame === null) return false;
  const left = [asset, firstFrame, lastFrame?.asset].filter((one) => one != null);
  return (await Promise.all(left.map((one) => assets.has(one)))).every(Boolean);
}

/** Why the clip of a take is lost, if no task of its own can bring it back. */
export function lostInWords({ intent: { alias }, pruned }: TakeHistory): string {
  if (alias === undefined) return 'the clip that was given for it is not in the store any more';
  const { productionId, shotId, take } = alias;
  const what = pruned === undefined ? 'is not in the store any more' : 'was pruned';
  return (
    `the clip of take ${take} of "${shotId}" in "${productionId}", which it reuses, ${what}; ` +
    'render that production to collect it, then wait for it'
  );
}
