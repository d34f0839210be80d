import { type DecisionActivities } from '../../contracts/activities';
import { firstFrame as cutFirstFrame, lastFrame as cutLastFrame } from '../../media';
import { type Store } from '../../store';
import { failure } from '../fail';
import { type FindFfmpeg, putFrame } from './put-frame';
import { withMediaTries } from './with-media-tries';

/** One refusal by ffmpeg is final: a person waits for the answer, and can give another clip at once. */
const TRIES = 1;

/**
 * Makes the activity that prepares a person's own file as a take's output. The activity extracts the first and last
 * frame of a video.
 *
 * @throws MediaFailed, StoreUnavailable (retried); MediaUnusable, FfmpegMissing, AssetMissing, OutputUnusable (final).
 */
export function createPrepareClip(store: Store, ffmpeg: FindFfmpeg): DecisionActivities['prepareClip'] {
  return ({ asset }) =>
    withMediaTries(TRIES, async ({ cancellationSignal: signal }) => {
      if (!(await store.assets.has(asset)))
        throw failure('AssetMissing', `the clip ${asset.sha256} is not in the store`);
      const frame = (cut: typeof cutFirstFrame): ReturnType<typeof putFrame> =>
        store.assets.withLocalFile(asset, (clip) =>
          putFrame(store, async (png) => cut(await ffmpeg(), clip, png, { signal })),
        );
      const isVideo = asset.mediaType.startsWith('video/');
      const firstFrame = isVideo ? await frame(cutFirstFrame) : null;
      const lastFrame = isVideo ? { asset: await frame(cutLastFrame), source: 'clip' as const } : null;
      return { asset, firstFrame, lastFrame, warnings: ['a file of your own'] };
    });
}
