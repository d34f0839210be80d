import { type MediaActivities } from '../contracts/activities';
import { firstFrame as cutFirstFrame, lastFrame as cutLastFrame } from '../media';
import { type Store } from '../store';
import { failure } from './fail';
import { type FindFfmpeg, putFrame } from './put-frame';
import { withHeartbeat } from './with-heartbeat';

/**
 * Takes a clip of the person's own for what a take would have left; the chain goes on from its last frame.
 *
 * @throws MediaFailed, StoreUnavailable (retried), FfmpegMissing, AssetMissing (final).
 */
export function createUseAsset(store: Store, ffmpeg: FindFfmpeg): MediaActivities['useAsset'] {
  return ({ take, asset }) =>
    withHeartbeat(async ({ cancellationSignal: signal }) => {
      if (!(await store.assets.has(asset)))
        throw failure('AssetMissing', `the clip ${asset.sha256} is not in the store`);
      const clip = store.assets.localPath(asset);
      const frame = async (cut: typeof cutFirstFrame): ReturnType<typeof putFrame> =>
        putFrame(store, async (png) => cut(await ffmpeg(), clip, png, { signal }));
      const isVideo = asset.mediaType.startsWith('video/');
      const firstFrame = isVideo ? await frame(cutFirstFrame) : null;
      const lastFrame = isVideo ? { asset: await frame(cutLastFrame), source: 'clip' as const } : null;
      const output = { asset, firstFrame, lastFrame, warnings: ['a clip of your own'] };
      await store.ledger.noteOutput(take, output);
      return output;
    });
}
