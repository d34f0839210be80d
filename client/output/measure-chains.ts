import { type ProductionStatus } from '../../contracts/status';
import { findFfmpeg, measureColor } from '../../media';
import { measuredOnce, type Store } from '../../store';
import { chainedClips } from '../status/continuity';

/**
 * Measures the colours of chained clips that have no measures yet: older clips, and shots that joined a chain later.
 *
 * Clips that cannot be measured are skipped, for example if there is no ffmpeg.
 */
export async function measureChains(
  store: Pick<Store, 'assets' | 'records'>,
  status: ProductionStatus,
  ffmpegPath: string | undefined,
): Promise<void> {
  const clips = (await chainedClips(store, status)).flatMap(({ clip, firstClip }) => [clip, firstClip]);
  for (const clip of clips) {
    if (!(await store.assets.has(clip))) continue;
    await measuredOnce(store, clip, async (path) =>
      measureColor(await findFfmpeg(ffmpegPath === undefined ? {} : { ffmpegPath }), path),
    ).catch(() => undefined);
  }
}
