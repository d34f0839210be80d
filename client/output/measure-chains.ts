import { type ProductionStatus } from '../../contracts/status';
import { findFfmpeg, measureColor } from '../../media';
import { type Store } from '../../store';
import { chainedClips } from '../status/continuity';

/**
 * Measures the colors of each chained shot's clip, and of the first clip of its chain. Skips clips that have measures,
 * and clips that cannot be measured, for example because there is no ffmpeg.
 */
export async function measureChains(
  store: Pick<Store, 'assets' | 'measures'>,
  status: ProductionStatus,
  ffmpegPath: string | undefined,
): Promise<void> {
  const clips = (await chainedClips(store, status)).flatMap(({ clip, firstClip }) => [clip, firstClip]);
  for (const clip of clips) {
    if (!(await store.assets.has(clip))) continue;
    await store.measures
      .once(clip, async (path) => measureColor(await findFfmpeg({ ffmpegPath }), path))
      .catch(() => undefined);
  }
}
