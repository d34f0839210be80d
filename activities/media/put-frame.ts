import { type AssetRef } from '../../contracts/asset';
import { type Ffmpeg } from '../../media';
import { type Store } from '../../store';
import { describeMedia } from './describe-media';
import { mediaTrouble } from '../translate-error';

/** Finds ffmpeg. A working program is examined only once. @throws FfmpegMissing (final). */
export type FindFfmpeg = () => Promise<Ffmpeg>;

/**
 * Stores the picture that `cut` writes.
 *
 * @throws MediaFailed, StoreUnavailable (both retried); OutputUnusable, FfmpegMissing (both final); other errors of
 *   `cut`.
 */
export function putFrame(store: Store, cut: (pngPath: string) => Promise<unknown>): Promise<AssetRef> {
  return store.assets.create('frame', cut, describeMedia('image')).catch((error: unknown) => {
    throw mediaTrouble(error);
  });
}
