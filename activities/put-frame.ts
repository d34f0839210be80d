import { type AssetRef } from '../contracts/asset';
import { type Ffmpeg } from '../media';
import { type Store } from '../store';
import { describeMedia } from './describe-media';
import { mediaTrouble } from './translate-error';

/** Finds ffmpeg once per worker. @throws FfmpegMissing (final). */
export type FindFfmpeg = () => Promise<Ffmpeg>;

/** Puts the picture that `cut` writes into the store. */
export async function putFrame(store: Store, cut: (pngPath: string) => Promise<unknown>): Promise<AssetRef> {
  const part = await store.assets.newPart('frame');
  await cut(part).catch((error: unknown) => {
    throw mediaTrouble(error);
  });
  return store.assets.commitPart(part, describeMedia('image'));
}
