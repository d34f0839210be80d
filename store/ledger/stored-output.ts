import { type Assets } from '../assets';
import { type Output } from './ledger-records';
import { type TakeHistory } from './take-history';

/** True if all files of a take's output are stored, among them the last frame if the output is a video. */
export async function isOutputStored(assets: Assets, { asset, firstFrame, lastFrame }: Output): Promise<boolean> {
  if (asset.mediaType.startsWith('video/') && lastFrame === null) return false;
  const files = [asset, firstFrame, lastFrame?.asset].filter((one) => one != null);
  return (await Promise.all(files.map((one) => assets.has(one)))).every(Boolean);
}

/** Explains why a take's clip is lost. Only for aliases and for takes with a person's own clip. */
export function lostInWords({ intent: { alias }, pruned }: TakeHistory): string {
  if (alias === undefined) return 'the clip that a person gave for this take is no longer in the store';
  const { productionId, shotId, take } = alias;
  const cause = pruned === undefined ? 'is not in the store any more' : 'was pruned';
  return (
    `the clip of take ${take} of "${shotId}" in "${productionId}", which it reuses, ${cause}; ` +
    'render that production to collect the clip, then try again'
  );
}
